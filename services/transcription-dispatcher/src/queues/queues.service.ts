import type { AnswerOf, dispatcherRoutes, Queue, Stage } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { isAppError, unavailable, type Log } from '@overtone/service-kit';
import type { QueueGauges } from '../broker/broker.ts';
import { txOptions, type Db } from '../database.ts';
import type { WorkerState } from '../leases/leases.ts';
import { recordOperation, type Operator } from '../operator.ts';
import { titlesOf, type Files, type People, type Reader } from '../ports/files.ts';
import { pauseObjectOf, queueObjectsOf, workerObjectsOf } from './queues.ts';
import type { QueuesStore } from './queues.store.ts';

export type QueuesDeps = {
  db: Db;
  store: QueuesStore;
  outbox: Outbox;
  gauges: () => Promise<ReadonlyMap<Queue, QueueGauges>>;
  fleet: { entries: () => ReadonlyMap<string, WorkerState>; since: () => number | null };
  files: Files;
  people: People;
  fractionOf: (runId: string, stage: string) => number;
  log: Log;
};
type Routes = typeof dispatcherRoutes;

/** The overview of queues and workers, and pausing a queue. */
export function createQueues(deps: QueuesDeps) {
  const namesOf = (ids: string[]) => deps.people.names(ids).catch(() => new Map<string, string>());

  const runningTasks = async (reader: Reader) => {
    const tasks = await deps.store.running();
    const titles = await titlesOf(
      deps.files,
      tasks.map((t) => t.fileId),
      reader,
    );
    return tasks.map((t) => ({
      worker: t.worker ?? '',
      task_uuid: t.id,
      stage: t.stage as Stage,
      media_file_id: t.fileId,
      file_title: titles.get(t.fileId) ?? null,
      progress: t.runId ? deps.fractionOf(t.runId, t.stage) : 0,
      since: (t.claimedAt ?? t.createdAt).toISOString(),
    }));
  };

  return {
    /** @throws AppError unavailable when broker or database do not respond, instead of showing zeros. */
    overview: async (reader: Reader): Promise<AnswerOf<Routes['queues']>> => {
      const now = Date.now();
      const gauges = await deps.gauges().catch(throwBrokerUnavailable);
      if (deps.fleet.since() === null) throwBrokerUnavailable(undefined);
      const reading = Promise.all([
        deps.store.counts(),
        deps.store.pauses(),
        deps.store.recordedWorkers(),
        runningTasks(reader),
      ]);
      const [counts, pauses, seen, running] = await reading.catch(throwDatabaseUnavailable);
      const names = await namesOf(pauses.map((p) => p.pausedBy));
      return {
        queues: queueObjectsOf(gauges, counts, pauses, names),
        workers: workerObjectsOf(deps.fleet.entries(), seen, running, now),
        at: new Date(now).toISOString(),
      };
    },

    /** Pausing a paused queue gives it the new reason. */
    pause: async (queue: Queue, reason: string, operator: Operator): Promise<AnswerOf<Routes['pauseQueue']>> => {
      const paused = await deps.db.$transaction(async (tx) => {
        await recordOperation(tx, deps.outbox, operator, 'queue_paused', { queue, reason });
        return deps.store.pause(tx, queue, reason, operator.userId);
      }, txOptions);
      deps.log.info({ queue, reason, actor: operator.userId }, 'queue paused');
      return pauseObjectOf(paused, await namesOf([operator.userId]));
    },

    resume: async (queue: Queue, operator: Operator): Promise<AnswerOf<Routes['resumeQueue']>> => {
      const resumed = await deps.db.$transaction(async (tx) => {
        const deleted = await deps.store.resume(tx, queue);
        if (deleted) await recordOperation(tx, deps.outbox, operator, 'queue_resumed', { queue });
        return deleted;
      }, txOptions);
      if (resumed) deps.log.info({ queue, actor: operator.userId }, 'queue resumed');
      return { resumed };
    },

    isPaused: deps.store.isPaused,

    /** Records the live workers, so that they can be shown while they are offline. */
    recordWorkers: async (): Promise<void> => {
      const now = Date.now();
      const live = [...deps.fleet.entries()].flatMap(([key, w]) =>
        w.expiresAt > now ? [[key.replace(/^worker\./, ''), w] as const] : [],
      );
      if (live.length > 0) await deps.store.recordWorkers(live);
      await deps.store.deleteOldWorkers();
    },
  };
}

export type Queues = ReturnType<typeof createQueues>;

function throwBrokerUnavailable(cause: unknown): never {
  throw unavailable('broker_unavailable', 'The queues cannot be counted: the message broker does not answer.', {
    cause,
  });
}

function throwDatabaseUnavailable(cause: unknown): never {
  if (isAppError(cause)) throw cause;
  throw unavailable('database_unavailable', 'The queues cannot be read: the database does not answer.', { cause });
}
