import { searchRoutes } from '@overtone/contracts';
import { handle, type Route } from '@overtone/service-kit';
import type { Rebuild } from './rebuild.service.ts';

export function rebuildRoutes({ rebuild }: { rebuild: Rebuild }): Route[] {
  return [
    handle(searchRoutes.reindex, async () => {
      const status = await rebuild.begin();
      const message =
        status === 'started'
          ? 'The index is being rebuilt; the current one serves until it is complete'
          : 'A rebuild of the index is already in progress';
      return { status, message };
    }),
    handle(searchRoutes.reindexStatus, async () => {
      const rebuildStatus = await rebuild.status();
      return {
        in_progress: rebuildStatus.inProgress,
        total_files: rebuildStatus.total,
        indexed_files: rebuildStatus.indexed,
        failed_files: rebuildStatus.failed,
        model: rebuildStatus.model,
        last_completed_at: rebuildStatus.completedAt,
      };
    }),
  ];
}
