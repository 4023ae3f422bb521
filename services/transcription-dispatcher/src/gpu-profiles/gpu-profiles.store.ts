import type { AnswerOf, gpuRoutes, gpuRpc, RequestOf } from '@overtone/contracts';
import type { Db } from '../database.ts';

type Answer = AnswerOf<typeof gpuRoutes.gpuProfiles>;
type Recent = Omit<Answer['recent'][number], 'recorded_at'> & { recorded_at: Date };

/** Rows kept: enough for every model on every device. */
const maxRows = 10_000;

/** Measured GPU memory of tasks. */
export function createGpuProfilesStore({ db }: { db: Db }) {
  return {
    /** Idempotent: a repeated report is ignored. */
    record: async (profile: RequestOf<typeof gpuRpc.recordProfile>): Promise<void> =>
      void (await db.$executeRaw`
      insert into gpu_profile (task_id, token, stage, model, device, worker, baseline_mib, peak_mib, audio_seconds)
      values (${profile.taskId}::uuid, ${profile.token}, ${profile.stage}, ${profile.model}, ${profile.device}, ${profile.worker}, ${profile.baselineMib},
        ${profile.peakMib}, ${profile.audioSeconds})
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
      return rows.map((row) => ({ ...row, recorded_at: row.recorded_at.toISOString() }));
    },
    prune: async (): Promise<void> =>
      void (await db.$executeRaw`
      delete from gpu_profile where recorded_at < (
        select recorded_at from gpu_profile order by recorded_at desc offset ${maxRows} limit 1)`),
  };
}
