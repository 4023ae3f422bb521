import type { GpuDevice } from '@overtone/contracts';

/** The GPUs that this process may use, the one it uses first; `note` says why there is none. */
export type GpuState = { devices: readonly GpuDevice[]; note: string | null };
