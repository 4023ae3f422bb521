import type { LabelRunObject } from '@overtone/contracts';
import { conflict, type Caller } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import type { LabelRun } from '../generated/client.ts';
import type { LabelsPort } from '../ports/labels.adapter.ts';
import {
  activeRuns,
  addItems,
  closeFinished,
  createRun,
  endFinishedItems,
  latestRun,
  lockRun,
  skipItem,
  stopRun,
  takeItems,
  toRunObject,
} from './label-runs.store.ts';
import { orderExtraction } from './suggestions.store.ts';

const pageSize = 500;
type Deps = { db: Db; labels: Pick<LabelsPort, 'access' | 'owned'> };

/** Runs over a library: a few files at a time, each ordered like a new recording. A run continues after a restart. */
export function createLabelRuns({ db, labels }: Deps) {
  /** Adds the next page of the person's files. */
  const listMore = async ({ id, userId, listsAfter, listsAll }: LabelRun): Promise<void> => {
    if (!listsAll) return;
    const fileIds = await labels.owned({ ownerId: userId, after: listsAfter, limit: pageSize });
    await db.$transaction(async (tx) => {
      // Another replica may have added it.
      const last = fileIds.at(-1);
      const next = last === undefined || fileIds.length < pageSize ? { listsAll: false } : { listsAfter: last };
      const { count } = await tx.labelRun.updateMany({ where: { id, listsAfter, listsAll }, data: next });
      if (count > 0) await addItems(tx, id, fileIds);
    });
  };

  const advance = async (run: LabelRun): Promise<void> => {
    await listMore(run);
    const fileIds = await db.$transaction(async (tx) => {
      if (!(await lockRun(tx, run.id))) return [];
      await endFinishedItems(tx, run.id);
      await closeFinished(tx, run.id);
      return takeItems(tx, run.id);
    });
    if (fileIds.length > 0) await orderFiles(run, fileIds);
  };

  /** Files that were deleted, or that are not the person's own, are skipped. */
  const orderFiles = async ({ userId, id: runId }: LabelRun, fileIds: readonly string[]): Promise<void> => {
    const usable = (await labels.access(fileIds, { userId, role: 'user' })).filter(
      ({ ownerId, transcriptVersion }) => ownerId === userId && transcriptVersion > 0,
    );
    for (const fileId of fileIds) {
      if (usable.some((file) => file.fileId === fileId))
        await orderExtraction(db, {
          fileId,
          part: 'labels',
          ownerId: userId,
          applies: true,
          force: true,
          eventId: runId,
        });
      else await skipItem(db, runId, fileId);
    }
  };

  const latest = async (userId: string): Promise<LabelRunObject | null> => {
    const run = await latestRun(db, userId);
    return run && toRunObject(db, run);
  };
  return {
    start: async ({ userId }: Caller, fileIds: readonly string[] | null): Promise<LabelRunObject> => {
      const run = await createRun(db, userId, fileIds);
      if (!run) throw conflict('label_run_active', 'A run over your library is in progress. Wait until it has ended.');
      return toRunObject(db, run);
    },
    latest,
    stop: async (userId: string): Promise<LabelRunObject | null> => {
      await stopRun(db, userId);
      return latest(userId);
    },
    /** Now, while a run is active. */
    nextStep: async (): Promise<Date | null> => ((await activeRuns(db)).length > 0 ? new Date() : null),
    /** Continues the active runs. */
    advance: async (signal: AbortSignal): Promise<void> => {
      for (const run of await activeRuns(db)) if (!signal.aborted) await advance(run);
    },
  };
}
