import { reindexRoutes, type BodyOf } from '@overtone/contracts';
import { recordOperation, type Outbox } from '@overtone/database';
import { handle, periodic, restingPeriodic, type Slice } from '@overtone/service-kit';
import type { Vectoriser } from '../ports/vectoriser.ts';
import { createConsistency, describeComparison, type FileScope } from './consistency.service.ts';
import { createReindex, type ReindexDeps, type ReindexStart } from './reindex.service.ts';
import { createReindexStore, type ReindexScope } from './reindex.store.ts';

type Deps = Omit<ReindexDeps, 'store' | 'consistency'> & {
  outbox: Outbox;
  vectoriser: Pick<Vectoriser, 'model'>;
  refresh: { isIndexLost: () => Promise<boolean>; reconcile: () => Promise<{ reindex: boolean }> };
};

/** Indexes files again: on request of an administrator, or all when the index is lost or its model has changed. */
export function createReindexSlice({ refresh, outbox, vectoriser, ...deps }: Deps): Slice {
  const { db, index } = deps;
  const consistency = createConsistency(deps);
  const reindex = createReindex({ ...deps, consistency, store: createReindexStore({ db }) });
  return {
    parts: [
      {
        name: 'index',
        // Detects a lost index before the first file is written into an empty one.
        start: async () => {
          if (await refresh.isIndexLost().catch(() => false)) await reindex.beginRequired();
        },
        stop: index.close,
      },
    ],
    routes: [
      handle(reindexRoutes.reindex, async (request) => {
        const scope = scopeOf(request.body);
        return answerOf(
          await reindex.begin(scope, (tx, total) =>
            recordOperation({ tx, outbox, request }, 'search_reindex_started', detailsOf(scope, total)),
          ),
        );
      }),
      handle(reindexRoutes.reindexPreview, async ({ body }) => {
        const [compared, { current }, nextModel] = await Promise.all([
          consistency.compare(scopeOf(body)),
          index.builds(),
          vectoriser.model().catch(() => null),
        ]);
        return { ...describeComparison(compared), model: current?.model?.name ?? null, next_model: nextModel };
      }),
      handle(reindexRoutes.stopReindex, async (request) => {
        const stopping = await reindex.stop((tx) =>
          recordOperation({ tx, outbox, request }, 'search_reindex_stopped', {}),
        );
        return stopping
          ? { status: 'stop_requested' as const, message: 'The reindex stops after the current file' }
          : { status: 'not_running' as const, message: 'No reindex is in progress' };
      }),
      handle(reindexRoutes.reindexStatus, async () => describeStatus(await reindex.status())),
      handle(reindexRoutes.consistency, async () => ({
        ...describeComparison(await consistency.compare({ kind: 'all' })),
        checked_at: new Date().toISOString(),
      })),
      handle(reindexRoutes.repairIndex, async (request) =>
        answerOf(
          await reindex.repair((tx, total) =>
            recordOperation({ tx, outbox, request }, 'search_index_repaired', { files: total }),
          ),
        ),
      ),
    ],
    periodics: [
      periodic('mark files to index again', 30_000, async () => {
        if ((await refresh.reconcile()).reindex) await reindex.beginRequired();
      }),
      restingPeriodic('continue a reindex', 1_000, reindex.continueReindex),
      restingPeriodic('maintain the index', 1_000, index.maintain),
    ],
  };
}

function scopeOf(body: BodyOf<typeof reindexRoutes.reindex>): FileScope {
  if (body?.file_uuids) return { kind: 'files', fileIds: [...new Set(body.file_uuids)] };
  return body?.user_uuid ? { kind: 'user', userId: body.user_uuid } : { kind: 'all' };
}

function detailsOf(scope: FileScope, total: number): Record<string, string | number> {
  if (scope.kind === 'all') return { scope: 'all' };
  const subject = scope.kind === 'user' ? { user: scope.userId } : { file: scope.fileIds[0] ?? '' };
  return { scope: scope.kind, files: total, ...(scope.kind === 'user' || total === 1 ? subject : {}) };
}

const messages: Record<ReindexStart['status'], string> = {
  started: 'The reindex has started',
  running: 'A reindex is already in progress',
  nothing: 'There is no file to index',
};

function answerOf({ status, total }: ReindexStart) {
  return { status, total_files: total, message: messages[status] };
}

const outcomes = ['completed', 'stopped'] as const;

function describeStatus(status: Awaited<ReturnType<ReturnType<typeof createReindex>['status']>>) {
  const { inProgress, run, total, indexed, failed, pending, perSecond, model, completedAt } = status;
  return {
    in_progress: inProgress,
    stop_requested: run?.state === 'stopping',
    scope: (run?.scope as ReindexScope | undefined) ?? null,
    outcome: outcomes.find((outcome) => outcome === run?.state) ?? null,
    total_files: total,
    indexed_files: indexed,
    failed_files: failed,
    pending_files: pending,
    files_per_minute: perSecond === null ? null : Math.round(perSecond * 600) / 10,
    seconds_left: perSecond === null ? null : Math.ceil(pending / perSecond),
    started_at: run?.startedAt.toISOString() ?? null,
    finished_at: run?.finishedAt?.toISOString() ?? null,
    model,
    last_completed_at: completedAt,
  };
}
