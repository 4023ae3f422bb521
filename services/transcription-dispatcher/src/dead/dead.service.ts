import { transcriptionEvents, type AnswerOf, type dispatcherRoutes, type Queue, type Stage } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { assertNever, isAppError, notFound, type Log } from '@overtone/service-kit';
import { txOptions, type Db, type Tx } from '../database.ts';
import type { Run, Task } from '../generated/client.ts';
import { tellAudit, type Operator } from '../operator.ts';
import type { Files, Reader } from '../ports/files.ts';
import { warningOf } from '../runs/runs.ts';
import type { TaskObject } from '../tasks/tasks.ts';
import { fileDeleted, judgeRetry, notDead } from './dead.ts';
import type { DeadStore, Kind, KindRow } from './dead.store.ts';

export type DeadDeps = {
  db: Db;
  store: DeadStore;
  outbox: Outbox;
  files: Files;
  objectsOf: (tasks: Task[], reader: Reader) => Promise<TaskObject[]>;
  log: Log;
};
type Routes = typeof dispatcherRoutes;
/** A call does so many at most; the next one the rest. */
const mostAtOnce = 1_000;

/** Tasks that failed for good: seen, tried again, discarded. */
export const createDead = ({ db, store, outbox, files, objectsOf, log }: DeadDeps) => {
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

  /** @returns false when it was under way already. */
  const revive = (seen: Task, told: (tx: Tx) => Promise<void>): Promise<boolean> =>
    db.$transaction(async (tx) => {
      const { task, run, latestRunId } = await store.lock(tx, seen);
      if (!task) throw gone();
      const retry = judgeRetry({ task, run, latestRunId, replaced: await store.replaced(tx, task) });
      switch (retry.kind) {
        case 'refused':
          throw retry.why;
        case 'under-way':
          return false;
        case 'reopen':
          if (run) await reopen(tx, run, task);
          break;
        case 'again':
          if (run) await store.reviveStage(tx, run.id, task.stage, false);
          break;
        default:
          return assertNever(retry);
      }
      await store.revive(tx, task.id);
      await told(tx);
      return true;
    }, txOptions);

  const retryAll = async (tasks: Task[], operator: Operator) => {
    const there = await files.standing(
      tasks.map((t) => t.fileId),
      operator,
    );
    const refused: AnswerOf<Routes['retryDead']>['refused'] = [];
    let retried = 0;
    for (const task of tasks) {
      try {
        if (!there.has(task.fileId)) throw fileDeleted();
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

    /** One task again; asking twice is asking once. */
    retry: async (id: string, operator: Operator): Promise<TaskObject> => {
      const task = await store.find(id);
      if (!task) throw gone();
      // A worker would find nothing to work on.
      if (task.status === 'failed' && !(await files.standing([task.fileId], operator)).has(task.fileId))
        throw fileDeleted();
      const details = { task: id, stage: task.stage, error_code: task.errorCode ?? '', count: 1 };
      const revived = await revive(task, (tx) => tellAudit(tx, outbox, operator, 'jobs_retried', details));
      if (revived) log.info({ task_id: id, stage: task.stage, actor: operator.userId }, 'dead task tried again');
      const [object] = await objectsOf([(await store.find(id)) ?? task], operator);
      if (!object) throw gone();
      return object;
    },

    retryKind: async (kind: Kind, operator: Operator): Promise<AnswerOf<Routes['retryDead']>> => {
      const { retried, refused } = await retryAll(await store.oldest(kind, mostAtOnce), operator);
      if (retried > 0)
        await db.$transaction((tx) => tellAudit(tx, outbox, operator, 'jobs_retried', detailsOf(kind, retried)));
      log.info({ ...kind, retried, refused: refused.length, actor: operator.userId }, 'dead tasks tried again');
      return { retried, refused, remaining: await store.count(kind) };
    },

    discard: async (id: string, operator: Operator): Promise<undefined> => {
      const done = await db.$transaction(async (tx) => {
        const discarded = await store.discard(tx, id);
        if (discarded) await tellAudit(tx, outbox, operator, 'jobs_discarded', { task: id, count: 1 });
        return discarded;
      }, txOptions);
      if (done) return;
      const task = await store.find(id);
      if (!task) throw gone();
      // Asking twice is asking once.
      if (task.discardedAt === null) throw notDead('Only tasks that failed for good can be discarded.');
    },

    discardKind: async (kind: Kind, operator: Operator): Promise<AnswerOf<Routes['discardDead']>> =>
      db.$transaction(async (tx) => {
        const discarded = await store.discardAll(tx, kind);
        if (discarded > 0) await tellAudit(tx, outbox, operator, 'jobs_discarded', detailsOf(kind, discarded));
        return { discarded };
      }, txOptions),
  };
};
export type Dead = ReturnType<typeof createDead>;

const detailsOf = ({ queue, task_type, error_code }: Kind, count: number) => ({
  queue: queue ?? 'all',
  task_type: task_type ?? 'all',
  error_code: error_code ?? 'all',
  count,
});
const gone = () => notFound('There is no such task.');
const kindObjectOf = (k: KindRow) => ({
  queue: k.queue as Queue,
  task_type: k.stage as Stage,
  error_code: k.errorCode,
  count: k.count,
  newest_at: k.newest.toISOString(),
  oldest_at: k.oldest.toISOString(),
});
