import { searchRoutes } from '@overtone/contracts';
import { handle, periodic, type Slice } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { createRebuild, type RebuildDeps } from './rebuild.service.ts';
import { createRebuildStore } from './rebuild.store.ts';

type Deps = Omit<RebuildDeps, 'store'> & {
  db: Db;
  refresh: { isIndexLost: () => Promise<boolean>; reconcile: () => Promise<{ rebuild: boolean }> };
};

/** Replaces the index by a new build, on request of an administrator or when it is lost or its model has changed. */
export function createRebuildSlice({ db, refresh, ...deps }: Deps): Slice {
  const { index } = deps;
  const rebuild = createRebuild({ ...deps, store: createRebuildStore({ db }) });
  return {
    parts: [
      {
        name: 'index',
        // Detects a lost index before the first file is written into an empty one.
        start: async () => {
          if (await refresh.isIndexLost().catch(() => false)) await rebuild.begin();
        },
        stop: index.close,
      },
    ],
    routes: [
      handle(searchRoutes.reindex, async () => {
        const status = await rebuild.begin();
        const message =
          status === 'started'
            ? 'The index is being rebuilt; the current one serves until it is complete'
            : 'A rebuild of the index is already in progress';
        return { status, message };
      }),
      handle(searchRoutes.reindexStatus, async () => {
        const { inProgress, total, indexed, failed, model, completedAt } = await rebuild.status();
        return {
          in_progress: inProgress,
          total_files: total,
          indexed_files: indexed,
          failed_files: failed,
          model,
          last_completed_at: completedAt,
        };
      }),
    ],
    periodics: [
      periodic('mark files to index again', 30_000, async () => {
        if ((await refresh.reconcile()).rebuild) await rebuild.begin();
      }),
      periodic('continue a rebuild', 1_000, rebuild.continueRebuild),
      periodic('maintain the index', 15_000, index.maintain),
    ],
  };
}
