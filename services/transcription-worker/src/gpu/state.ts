import type { GpuDevice } from '@overtone/contracts';

/** The GPUs available to this process, the used one first; `note`: why there is none. */
export type GpuState = { devices: readonly GpuDevice[]; note: string | null };
