import type { Db } from '../database.ts';

export type RebuildStore = ReturnType<typeof createRebuildStore>;

export function createRebuildStore({ db }: { db: Db }) {
  return {
    /** Transcript versions of the given files that are in the build. */
    inBuild: async (fileIds: readonly string[], build: string): Promise<Map<string, number>> => {
      const rows = await db.indexState.findMany({
        where: { fileId: { in: [...fileIds] }, generation: build },
        select: { fileId: true, transcriptVersion: true },
      });
      return new Map(rows.map((row) => [row.fileId, row.transcriptVersion]));
    },
    progress: async (build: string): Promise<{ total: number; indexed: number }> => {
      const [total, indexed] = await Promise.all([
        db.indexState.count(),
        db.indexState.count({ where: { generation: build } }),
      ]);
      return { total, indexed };
    },
    /** Marks the file as failed and due for a retry. */
    recordFailure: async (fileId: string, error: string): Promise<void> => {
      await db.indexState.updateMany({ where: { fileId }, data: { error: error.slice(0, 500), dueAt: new Date() } });
    },
  };
}
