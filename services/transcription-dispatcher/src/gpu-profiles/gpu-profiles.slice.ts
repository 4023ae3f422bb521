import { gpuRoutes, gpuRpc } from '@overtone/contracts';
import { handle, periodic, rpc, type Slice } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { createGpuProfilesStore } from './gpu-profiles.store.ts';

const profilingDisabled =
  'GPU memory is not measured. Set ENABLE_VRAM_PROFILING=true for the dispatcher and the workers and restart them.';

/** Records the GPU memory that tasks needed and shows it to administrators; drops the reports while profiling is off. */
export function createGpuProfilesSlice({ db, enabled }: { db: Db; enabled: boolean }): Slice {
  const profiles = createGpuProfilesStore({ db });
  return {
    routes: [
      handle(gpuRoutes.gpuProfiles, async ({ query }) => {
        if (!enabled) return { enabled, message: profilingDisabled, summary: [], recent: [] };
        const [summary, recent] = await Promise.all([profiles.summary(), profiles.recent(query.limit)]);
        return { enabled, message: null, summary, recent };
      }),
    ],
    rpcs: [
      rpc(gpuRpc.recordProfile, async (profile) => {
        if (!enabled) return { outcome: 'off' as const };
        await profiles.record(profile);
        return { outcome: 'recorded' as const };
      }),
    ],
    periodics: [periodic('delete old GPU profiles', 3_600_000, () => profiles.prune())],
  };
}
