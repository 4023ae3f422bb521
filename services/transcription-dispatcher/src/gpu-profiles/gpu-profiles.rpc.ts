import { gpuRpc } from '@overtone/contracts';
import { answer, type RpcHandler } from '@overtone/service-kit';
import type { GpuProfilesStore } from './gpu-profiles.store.ts';

/** A worker's word on what a task of its needed; dropped while nobody wants to know. */
export const gpuProfilesRpc = ({ profiles, enabled }: { profiles: GpuProfilesStore; enabled: boolean }): RpcHandler =>
  answer(gpuRpc.recordProfile, async (profile) => {
    if (!enabled) return { outcome: 'off' as const };
    await profiles.record(profile);
    return { outcome: 'recorded' as const };
  });
