import type { AnswerOf, gpuRoutes, gpuRpc, RequestOf } from '@overtone/contracts';
import type { Db } from '../database.ts';

type Answer = AnswerOf<typeof gpuRoutes.gpuProfiles>;
type Recent = Omit<Answer['recent'][number], 'recorded_at'> & { recorded_at: Date };

/** Enough for every model on every device; older ones say nothing that these do not. */
const kept = 10_000;

/** What tasks needed of GPU memory. */
export const createGpuProfilesStore = ({ db }: { db: Db }) => ({
  /** Told twice, it is recorded once. */
  record: async (p: RequestOf<typeof gpuRpc.recordProfile>): Promise<void> =>
    void (await db.$executeRaw`
      insert into gpu_profile (task_id, token, stage, model, device, worker, baseline_mib, peak_mib, audio_seconds)
      values (${p.taskId}::uuid, ${p.token}, ${p.stage}, ${p.model}, ${p.device}, ${p.worker}, ${p.baselineMib},
        ${p.peakMib}, ${p.audioSeconds})
      on conflict do nothing`),
  summary: (): Promise<Answer['summary']> =>
    db.$queryRaw<Answer['summary']>`
      select stage, model, device, count(*)::int as count, max(peak_mib) as max_mib,
        percentile_disc(0.5) within group (order by peak_mib) as p50_mib, sum(audio_seconds) as audio_seconds
      from gpu_profile group by stage, model, device order by stage desc, model, device`,
  recent: async (limit: number): Promise<Answer['recent']> => {
    const rows = await db.$queryRaw<Recent[]>`
      select task_id as task, stage, model, device, worker, baseline_mib, peak_mib, audio_seconds, recorded_at
      from gpu_profile order by recorded_at desc, task_id limit ${limit}`;
    return rows.map((r) => ({ ...r, recorded_at: r.recorded_at.toISOString() }));
  },
  prune: async (): Promise<void> =>
    void (await db.$executeRaw`
      delete from gpu_profile where recorded_at < (
        select recorded_at from gpu_profile order by recorded_at desc offset ${kept} limit 1)`),
});
export type GpuProfilesStore = ReturnType<typeof createGpuProfilesStore>;
