import type { reindexScopes } from '@overtone/contracts';
import { isUniqueViolation, type Db, type Tx } from '../database.ts';
import type { Reindex } from '../generated/client.ts';

export type ReindexScope = (typeof reindexScopes)[number];
export type ReindexStore = ReturnType<typeof createReindexStore>;
/** Files of a reindex; `recent`: finished in the last `rateSeconds`. */
export type Counts = { total: number; indexed: number; failed: number; recent: number };
type NewReindex = { scope: ReindexScope; required: boolean; fileIds: readonly string[] };

export const rateSeconds = 120;
const active = { state: { in: ['running', 'stopping'] } };

/** Reindexes: one at most is in progress, and the last one is kept. */
export function createReindexStore({ db }: { db: Db }) {
  return {
    active: (): Promise<Reindex | null> => db.reindex.findFirst({ where: active }),
    last: (): Promise<Reindex | null> => db.reindex.findFirst({ orderBy: { startedAt: 'desc' } }),
    /** @returns null when another one is in progress. */
    start: async (
      { scope, required, fileIds }: NewReindex,
      record: (tx: Tx) => Promise<void> = async () => {},
    ): Promise<Reindex | null> => {
      try {
        return await db.$transaction(async (tx) => {
          await tx.reindex.deleteMany({ where: { NOT: active } });
          const started = await tx.reindex.create({ data: { scope, required, total: fileIds.length } });
          await tx.$executeRaw`
            insert into search_reindex_file (reindex_id, file_id)
            select ${started.id}::uuid, f from unnest(${[...fileIds]}::uuid[]) as f`;
          await record(tx);
          return started;
        });
      } catch (err) {
        if (isUniqueViolation(err)) return null;
        throw err;
      }
    },
    /** @returns whether it was running. */
    requestStop: async (tx: Tx, id: string): Promise<boolean> =>
      (await tx.reindex.updateMany({ where: { id, state: 'running' }, data: { state: 'stopping' } })).count > 0,
    isStopping: async (id: string): Promise<boolean> =>
      (await db.reindex.findUnique({ where: { id }, select: { state: true } }))?.state !== 'running',
    setBuild: async (id: string, build: string): Promise<void> => {
      await db.reindex.update({ where: { id }, data: { build, failed: 0 } });
    },
    setTotal: async (id: string, total: number): Promise<void> => {
      await db.reindex.update({ where: { id }, data: { total } });
    },
    countFailure: async (id: string): Promise<void> => {
      await db.reindex.update({ where: { id }, data: { failed: { increment: 1 } } });
    },
    finish: async (id: string, state: 'stopped' | 'completed', { total, indexed, failed }: Counts): Promise<void> => {
      const data = { state, total, indexed, failed, finishedAt: new Date() };
      await db.reindex.update({ where: { id }, data });
    },
    takeDue: async (id: string, limit: number): Promise<string[]> => {
      const where = { reindexId: id, state: 'due' };
      const rows = await db.reindexFile.findMany({ where, orderBy: { fileId: 'asc' }, take: limit });
      return rows.map(({ fileId }) => fileId);
    },
    settle: async (reindexId: string, fileId: string, state: 'done' | 'failed'): Promise<void> => {
      const where = { reindexId_fileId: { reindexId, fileId } };
      await db.reindexFile.update({ where, data: { state, changedAt: new Date() } });
    },
    /** Counts of a reindex of chosen files. */
    countFiles: async (id: string): Promise<Counts> => {
      const [row] = await db.$queryRaw<Counts[]>`
        select count(*)::int as total, count(*) filter (where state = 'done')::int as indexed,
          count(*) filter (where state = 'failed')::int as failed,
          count(*) filter (where state <> 'due' and changed_at > now() - make_interval(secs => ${rateSeconds}))::int as recent
        from search_reindex_file where reindex_id = ${id}::uuid`;
      return row ?? { total: 0, indexed: 0, failed: 0, recent: 0 };
    },
    countKnownFiles: (): Promise<number> => db.indexState.count(),
    /** Files of a build, null: of none yet; `recent`: written to it in the last `rateSeconds`. */
    countBuild: async (build: string | null): Promise<{ known: number; indexed: number; recent: number }> => {
      const [row] = await db.$queryRaw<{ known: number; indexed: number; recent: number }[]>`
        select count(*)::int as known, count(*) filter (where generation = ${build}::text)::int as indexed,
          count(*) filter (where generation = ${build}::text
            and indexed_at > now() - make_interval(secs => ${rateSeconds}))::int as recent
        from index_state`;
      return row ?? { known: 0, indexed: 0, recent: 0 };
    },
    /** Transcript versions of the given files that are in the build. */
    inBuild: async (fileIds: readonly string[], build: string): Promise<Map<string, number>> => {
      const rows = await db.indexState.findMany({
        where: { fileId: { in: [...fileIds] }, build },
        select: { fileId: true, transcriptVersion: true },
      });
      return new Map(rows.map((row) => [row.fileId, row.transcriptVersion]));
    },
    /** Files of a discarded build: their rows in the current one are up to date, see `indexing.service.ts`. */
    moveToBuild: async (discarded: string, current: string): Promise<void> => {
      await db.indexState.updateMany({ where: { build: discarded }, data: { build: current } });
    },
    /** Marks the file as failed and due for a retry. */
    recordFailure: async (fileId: string, error: string): Promise<void> => {
      await db.indexState.updateMany({ where: { fileId }, data: { error: error.slice(0, 500), dueAt: new Date() } });
    },
  };
}
