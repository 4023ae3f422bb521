import { gpuRoutes } from '@overtone/contracts';
import { handle, type Route } from '@overtone/service-kit';
import type { GpuProfilesStore } from './gpu-profiles.store.ts';

const profilingDisabled =
  'GPU memory is not measured. Set ENABLE_VRAM_PROFILING=true for the dispatcher and the workers and restart them.';

export type GpuProfilesDeps = { profiles: GpuProfilesStore; enabled: boolean };

/** Shows administrators the GPU memory that the models need. */
export function gpuProfilesRoutes({ profiles, enabled }: GpuProfilesDeps): Route[] {
  return [
    handle(gpuRoutes.gpuProfiles, async ({ query }) => {
      if (!enabled) return { enabled, message: profilingDisabled, summary: [], recent: [] };
      const [summary, recent] = await Promise.all([profiles.summary(), profiles.recent(query.limit)]);
      return { enabled, message: null, summary, recent };
    }),
  ];
}
