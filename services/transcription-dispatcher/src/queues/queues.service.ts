import type { AnswerOf, dispatcherRoutes, Queue, Stage } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { isAppError, unavailable, type Log } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { recordOperation, type Operator } from '../operator.ts';
import { titlesOf, type Files, type People, type Reader } from '../ports/files.ts';
import type { RunningTask, Workers } from '../workers/workers.ts';
import { pauseObjectOf, queueObjectsOf, type QueueGauges } from './queues.ts';
import type { QueuesStore } from './queues.store.ts';

export type OverviewDeps = {
  store: QueuesStore;
  gauges: () => Promise<ReadonlyMap<Queue, QueueGauges>>;
  workers: Workers;
  files: Files;
  people: People;
  /** The fraction of a run's stage that its worker reported last. */
  fractionOf: (runId: string, stage: string) => number;
};
type Routes = typeof dispatcherRoutes;

/** The overview of queues and workers. */
export function createOverview({ store, gauges: readGauges, workers, files, people, fractionOf }: OverviewDeps) {
  const runningTasks = async (reader: Reader): Promise<RunningTask[]> => {
    const tasks = await store.running();
    const titles = await titlesOf(files, tasks, reader);
    return tasks.map((task) => ({
      worker: task.worker ?? '',
      task_uuid: task.id,
      stage: task.stage as Stage,
      media_file_id: task.fileId,
      file_title: titles.get(task.fileId) ?? null,
      progress: task.runId ? fractionOf(task.runId, task.stage) : 0,
      since: (task.claimedAt ?? task.createdAt).toISOString(),
    }));
  };

  /** @throws AppError unavailable when broker or database do not respond, instead of showing zeros. */
  return async (reader: Reader): Promise<AnswerOf<Routes['queues']>> => {
    const now = Date.now();
    const gauges = await readGauges().catch(throwBrokerUnavailable);
    if (!workers.areWatched()) throwBrokerUnavailable(undefined);
    const reading = Promise.all([store.counts(), store.pauses(), workers.recorded(), runningTasks(reader)]);
    const [counts, pauses, recorded, running] = await reading.catch(throwDatabaseUnavailable);
    const names = await namesOf(
      people,
      pauses.map(({ pausedBy }) => pausedBy),
    );
    return {
      queues: queueObjectsOf(gauges, counts, pauses, names),
      workers: workers.describe(recorded, running, now),
      at: new Date(now).toISOString(),
    };
  };
}

type PausesDeps = { db: Db; store: QueuesStore; outbox: Outbox; people: People; log: Log };

/** Pauses and resumes queues. */
export function createPauses({ db, store, outbox, people, log }: PausesDeps) {
  return {
    /** Pausing a paused queue gives it the new reason. */
    pause: async (queue: Queue, reason: string, operator: Operator): Promise<AnswerOf<Routes['pauseQueue']>> => {
      const paused = await db.$transaction(async (tx) => {
        await recordOperation(tx, outbox, operator, 'queue_paused', { queue, reason });
        return store.pause(tx, queue, reason, operator.userId);
      });
      log.info({ queue, reason, actor: operator.userId }, 'queue paused');
      return pauseObjectOf(paused, await namesOf(people, [operator.userId]));
    },

    resume: async (queue: Queue, operator: Operator): Promise<AnswerOf<Routes['resumeQueue']>> => {
      const resumed = await db.$transaction(async (tx) => {
        const deleted = await store.resume(tx, queue);
        if (deleted) await recordOperation(tx, outbox, operator, 'queue_resumed', { queue });
        return deleted;
      });
      if (resumed) log.info({ queue, actor: operator.userId }, 'queue resumed');
      return { resumed };
    },
  };
}

/** Names of users; empty while identity does not respond. */
function namesOf(people: People, ids: string[]): Promise<ReadonlyMap<string, string>> {
  return people.names(ids).catch(() => new Map<string, string>());
}

function throwBrokerUnavailable(cause: unknown): never {
  throw unavailable('broker_unavailable', 'The queues cannot be counted: the message broker does not answer.', {
    cause,
  });
}

function throwDatabaseUnavailable(cause: unknown): never {
  if (isAppError(cause)) throw cause;
  throw unavailable('database_unavailable', 'The queues cannot be read: the database does not answer.', { cause });
}
