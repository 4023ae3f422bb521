import type { Db } from '../database.ts';
import type { WorkerSeen } from '../generated/client.ts';
import { showOfflineMs, type WorkerState } from './workers.ts';

/** The workers seen last, so that they can be shown while they are offline. */
export function createWorkersStore({ db }: { db: Db }) {
  return {
    recorded: (): Promise<WorkerSeen[]> => db.workerSeen.findMany(),
    /** One statement ordered by id, so that replicas do not deadlock. */
    record: async (live: ReadonlyMap<string, WorkerState>): Promise<void> => {
      const rows = [...live].map(([id, { service, pulls, engine, engineNote: note }]) => ({
        id,
        service,
        pulls,
        engine,
        note,
      }));
      await db.$executeRaw`
      insert into worker_seen (id, service, pulls, engine, engine_note)
      select w.id, w.service, array(select jsonb_array_elements_text(w.pulls)), w.engine, w.note
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as w (id text, service text, pulls jsonb, engine jsonb, note text)
      order by w.id
      on conflict (id) do update set service = excluded.service, pulls = excluded.pulls, engine = excluded.engine,
        engine_note = excluded.engine_note, last_seen_at = now()`;
    },
    deleteOld: async (): Promise<void> =>
      void (await db.$executeRaw`
      delete from worker_seen where last_seen_at < now() - make_interval(secs => ${showOfflineMs / 1000})`),
  };
}
