import { searchRoutes } from '@overtone/contracts';
import { handle, type Route } from '@overtone/service-kit';
import type { Rebuild } from './rebuild.service.ts';

export const rebuildRoutes = ({ rebuild }: { rebuild: Rebuild }): Route[] => [
  handle(searchRoutes.reindex, async () => {
    const status = await rebuild.begin();
    const message =
      status === 'started'
        ? 'The index is being rebuilt; the present one serves until it is complete'
        : 'The index is being rebuilt already';
    return { status, message };
  }),
  handle(searchRoutes.reindexStatus, async () => {
    const s = await rebuild.status();
    return {
      in_progress: s.inProgress,
      total_files: s.total,
      indexed_files: s.indexed,
      failed_files: s.failed,
      model: s.model,
      last_completed_at: s.completedAt,
    };
  }),
];
