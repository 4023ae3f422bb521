import { gpuRpc } from '@overtone/contracts';
import { rpc, type RpcHandler } from '@overtone/service-kit';
import type { GpuProfilesStore } from './gpu-profiles.store.ts';

/** Records the GPU memory that a task needed; drops the report while profiling is off. */
export function gpuProfilesRpc({ profiles, enabled }: { profiles: GpuProfilesStore; enabled: boolean }): RpcHandler {
  return rpc(gpuRpc.recordProfile, async (profile) => {
    if (!enabled) return { outcome: 'off' as const };
    await profiles.record(profile);
    return { outcome: 'recorded' as const };
  });
}
