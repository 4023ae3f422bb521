import { transcriptionEvents, type AnswerOf, type dispatcherRoutes, type Queue, type Stage } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { assertNever, isAppError, notFound, type Log } from '@overtone/service-kit';
import { txOptions, type Db, type Tx } from '../database.ts';
import type { Run, Task } from '../generated/client.ts';
import { recordOperation, type Operator } from '../operator.ts';
import type { Files, Reader } from '../ports/files.ts';
import { warningOf } from '../runs/runs.ts';
import type { TaskObject } from '../tasks/tasks.ts';
import { fileDeleted, decideRetry, notDead } from './dead-letters.ts';
import type { DeadLettersStore, Kind, KindRow } from './dead-letters.store.ts';

export type DeadLettersDeps = {
  db: Db;
  store: DeadLettersStore;
  outbox: Outbox;
  files: Files;
  objectsOf: (tasks: Task[], reader: Reader) => Promise<TaskObject[]>;
  log: Log;
};
type Routes = typeof dispatcherRoutes;
/** Limit of tasks per call; `remaining` tells the caller to repeat it. */
const maxPerCall = 1_000;

/** Lists, retries and discards dead jobs. */
export function createDeadLetters({ db, store, outbox, files, objectsOf, log }: DeadLettersDeps) {
  const reopen = async (tx: Tx, run: Run, task: Task): Promise<void> => {
    const stage = task.stage as Stage;
    const note = warningOf(stage, task.errorMessage ?? '');
    const dropped = run.warnings.filter((w) => w === note);
    await store.reopen(
      tx,
      run,
      stage,
      run.warnings.filter((w) => w !== note),
    );
    await store.reviveStage(tx, run.id, stage, true);
    const ids = { runId: run.id, fileId: run.fileId, ownerId: run.ownerId };
    await outbox.add(tx, transcriptionEvents.runResumed, { ...ids, stage, dropped });
  };

  /** @returns false when the task was pending or in progress already. */
  const revive = (snapshot: Task, afterRevive: (tx: Tx) => Promise<void>): Promise<boolean> =>
    db.$transaction(async (tx) => {
      const { task, run, latestRunId } = await store.lock(tx, snapshot);
      if (!task) throw taskNotFound();
      const retry = decideRetry({ task, run, latestRunId, isReplaced: await store.isReplaced(tx, task) });
      switch (retry.kind) {
        case 'refused':
          throw retry.error;
        case 'already-open':
          return false;
        case 'reopen-run':
          if (run) await reopen(tx, run, task);
          break;
        case 'retry-task':
          if (run) await store.reviveStage(tx, run.id, task.stage, false);
          break;
        default:
          return assertNever(retry);
      }
      await store.revive(tx, task.id);
      await afterRevive(tx);
      return true;
    }, txOptions);

  const retryAll = async (tasks: Task[], operator: Operator) => {
    const existingFiles = await files.describe(
      tasks.map((t) => t.fileId),
      operator,
    );
    const refused: AnswerOf<Routes['retryDead']>['refused'] = [];
    let retried = 0;
    for (const task of tasks) {
      try {
        if (!existingFiles.has(task.fileId)) throw fileDeleted();
        if (await revive(task, async () => {})) retried += 1;
      } catch (e) {
        if (!isAppError(e)) throw e;
        refused.push({ uuid: task.id, code: e.code, message: e.message });
      }
    }
    return { retried, refused };
  };

  return {
    list: async (kind: Kind, page: number, size: number, reader: Reader): Promise<AnswerOf<Routes['deadTasks']>> => {
      const [kinds, total, rows] = await Promise.all([store.kinds(), store.count(kind), store.page(kind, page, size)]);
      const items = await objectsOf(rows, reader);
      return { items, total, page, page_size: size, kinds: kinds.map(kindObjectOf) };
    },

    /** Retries one task; idempotent. */
    retry: async (id: string, operator: Operator): Promise<TaskObject> => {
      const task = await store.find(id);
      if (!task) throw taskNotFound();
      // The worker could not read the deleted recording.
      if (task.status === 'failed' && !(await files.describe([task.fileId], operator)).has(task.fileId))
        throw fileDeleted();
      const details = { task: id, stage: task.stage, error_code: task.errorCode ?? '', count: 1 };
      const revived = await revive(task, (tx) => recordOperation(tx, outbox, operator, 'jobs_retried', details));
      if (revived) log.info({ task_id: id, stage: task.stage, actor: operator.userId }, 'dead job retried');
      const [object] = await objectsOf([(await store.find(id)) ?? task], operator);
      if (!object) throw taskNotFound();
      return object;
    },

    retryKind: async (kind: Kind, operator: Operator): Promise<AnswerOf<Routes['retryDead']>> => {
      const { retried, refused } = await retryAll(await store.oldest(kind, maxPerCall), operator);
      if (retried > 0)
        await db.$transaction((tx) => recordOperation(tx, outbox, operator, 'jobs_retried', detailsOf(kind, retried)));
      log.info({ ...kind, retried, refused: refused.length, actor: operator.userId }, 'dead jobs retried');
      return { retried, refused, remaining: await store.count(kind) };
    },

    discard: async (id: string, operator: Operator): Promise<undefined> => {
      const discardedNow = await db.$transaction(async (tx) => {
        const discarded = await store.discard(tx, id);
        if (discarded) await recordOperation(tx, outbox, operator, 'jobs_discarded', { task: id, count: 1 });
        return discarded;
      }, txOptions);
      if (discardedNow) return;
      const task = await store.find(id);
      if (!task) throw taskNotFound();
      // A repeated discard succeeds.
      if (task.discardedAt === null) throw notDead('Only dead jobs can be discarded.');
    },

    discardKind: async (kind: Kind, operator: Operator): Promise<AnswerOf<Routes['discardDead']>> =>
      db.$transaction(async (tx) => {
        const discarded = await store.discardAll(tx, kind);
        if (discarded > 0) await recordOperation(tx, outbox, operator, 'jobs_discarded', detailsOf(kind, discarded));
        return { discarded };
      }, txOptions),
  };
}

export type DeadLetters = ReturnType<typeof createDeadLetters>;

function detailsOf({ queue, task_type, error_code }: Kind, count: number) {
  return {
    queue: queue ?? 'all',
    task_type: task_type ?? 'all',
    error_code: error_code ?? 'all',
    count,
  };
}

function taskNotFound() {
  return notFound('There is no such task.');
}

function kindObjectOf(row: KindRow) {
  return {
    queue: row.queue as Queue,
    task_type: row.stage as Stage,
    error_code: row.errorCode,
    count: row.count,
    newest_at: row.newest.toISOString(),
    oldest_at: row.oldest.toISOString(),
  };
}
