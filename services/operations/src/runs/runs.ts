import {
  operationsRunEvents,
  type BackupSettings,
  type InputOf,
  type MirrorSettings,
  type operationsJobs,
} from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { nextRuns, putJob, type JobDelivery } from '@overtone/jobs';
import { catchUp, type Bus, type Log } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { failureOf } from '../destination.ts';
import type { Prisma } from '../generated/client.ts';
import type { Stored } from '../settings/settings.ts';
import type { RunRow, RunStore } from './runs.store.ts';

type RunJob = (typeof operationsJobs)[keyof typeof operationsJobs];
/** What a run did. `error` makes it a failed run; `warning` is shown with a successful one. */
export type Performed = { columns: readonly Prisma.Sql[]; error?: unknown; warning?: unknown };
export type Perform = (runId: string, signal: AbortSignal) => Promise<Performed>;
type Deps = { db: Db; outbox: Outbox; bus: Bus; log: Log; store: RunStore; job: RunJob };
type EndDeps = Pick<Deps, 'db' | 'outbox' | 'store'>;

const renewMs = 3_000;
/** A job that the broker lost is put there again after this time. */
const reenqueueAfterMs = 600_000;
const checkEveryMs = 15_000;

/** The handler of a job that executes its queued run, under a lease that ends with this process. */
export function createRunner({ db, outbox, log, store }: EndDeps & Pick<Deps, 'log'>, perform: Perform) {
  const execute = async (runId: string, stop: AbortSignal): Promise<void> => {
    await closeInterrupted({ db, outbox, store });
    if (!(await store.begin(db, runId))) return;
    const { signal, release } = keepLease({ db, store }, runId);
    const aborted = AbortSignal.any([signal, stop]);
    const result = await perform(runId, aborted).catch((error: unknown): Performed => ({ columns: [], error }));
    release();
    if (aborted.aborted && result.error !== undefined) {
      log.warn({ run: runId }, 'run interrupted');
      await store.release(db, runId);
      await closeInterrupted({ db, outbox, store });
      return;
    }
    const { columns, error, warning } = result;
    const failure = error ?? warning;
    if (failure !== undefined) log.error({ err: failure as Error, run: runId }, 'backup or mirror run failed');
    const { code: errorCode, message: errorMessage } =
      failure === undefined ? { code: null, message: null } : failureOf(failure);
    const status = error === undefined ? 'success' : 'failed';
    await db.$transaction(async (tx) => {
      const ended = await store.end(tx, { runId, status, errorCode, errorMessage, columns });
      if (ended && status === 'failed') await outbox.add(tx, operationsRunEvents.failed, { runId, kind: store.kind });
    });
  };
  return async ({ runId }: InputOf<RunJob>, { signal }: JobDelivery) => {
    await execute(runId, signal);
    return {};
  };
}

/** Enqueues what the schedule says and what the broker lost. Every replica does; the rows admit one. */
export function createScheduler({ db, outbox, bus, log, store, job }: Deps, settings: ReadSchedule) {
  const putAt = new Map<string, number>();
  const put = async (runId: string): Promise<void> => {
    await putJob(bus, job, runId, { runId });
    putAt.clear();
    putAt.set(runId, Date.now());
  };
  const check = async (): Promise<void> => {
    const now = new Date();
    await closeInterrupted({ db, outbox, store });
    const due = await dueTime({ db, store }, await settings(), now);
    if (due) await store.enqueue(db, due);
    if (!bus.connected()) return;
    for (const runId of await store.queued(db))
      if (now.getTime() - (putAt.get(runId) ?? 0) > reenqueueAfterMs) await put(runId);
  };
  return {
    put,
    periodic: catchUp(`schedule of ${job.subject}`, checkEveryMs, () =>
      check().catch((err: unknown) => {
        log.warn({ err: err as Error, job: job.subject }, 'schedule check failed');
        throw err;
      }),
    ),
  };
}

async function closeInterrupted({ db, outbox, store }: EndDeps): Promise<void> {
  await db.$transaction(async (tx) => {
    for (const runId of await store.closeInterrupted(tx))
      await outbox.add(tx, operationsRunEvents.failed, { runId, kind: store.kind });
  });
}

type ReadSchedule = () => Promise<Stored<BackupSettings> | Stored<MirrorSettings>>;

/** The earliest scheduled time that no run has served; the later ones that were missed are served with it. */
async function dueTime(
  { db, store }: Pick<Deps, 'db' | 'store'>,
  { settings, scheduledSince }: Awaited<ReturnType<ReadSchedule>>,
  now: Date,
): Promise<Date | undefined> {
  if (!settings.enabled || scheduledSince === null) return undefined;
  const last = await store.lastScheduledAt(db);
  const since = last && last > scheduledSince ? last : scheduledSince;
  return nextRuns(settings.schedule, since, 1).find((time) => time <= now);
}

/** The times of a run as the API shows them. */
export function toRun(row: RunRow) {
  const { uuid, trigger, status, destination } = row;
  const { started_at: startedAt, finished_at: finishedAt } = row;
  return {
    uuid,
    trigger,
    status,
    scheduled_for: row.scheduled_for?.toISOString() ?? null,
    queued_at: row.queued_at.toISOString(),
    started_at: startedAt?.toISOString() ?? null,
    finished_at: finishedAt?.toISOString() ?? null,
    duration_s: startedAt && finishedAt ? (finishedAt.getTime() - startedAt.getTime()) / 1_000 : null,
    destination,
    error_code: row.error_code,
    error: row.error_message,
  };
}

/** The part of the status that backups and the mirror have in common. */
export async function scheduleStatus<R extends RunRow, T>(
  { db, store }: { db: Db; store: RunStore<R> },
  { settings, scheduledSince }: Awaited<ReturnType<ReadSchedule>>,
  toObject: (row: R) => T,
) {
  const [running, last, success, scheduledAt] = await Promise.all([
    store.active(db),
    store.last(db),
    store.lastSuccess(db),
    store.lastScheduledAt(db),
  ]);
  const since = scheduledAt && scheduledSince && scheduledAt > scheduledSince ? scheduledAt : scheduledSince;
  const next = settings.enabled ? nextRuns(settings.schedule, since ?? new Date(), 1)[0] : undefined;
  return {
    enabled: settings.enabled,
    schedule: settings.schedule,
    next_due: next?.toISOString() ?? null,
    running: running && toObject(running),
    last_run: last && toObject(last),
    last_success: success && toObject(success),
  };
}

/** Renews the lease of a run. `signal` is aborted when it was lost: another process may have closed the run. */
function keepLease({ db, store }: Pick<Deps, 'db' | 'store'>, runId: string) {
  const lost = new AbortController();
  let renewedAt = Date.now();
  const timer = setInterval(() => {
    void store.renew(db, runId).then(
      (held) => {
        if (held) renewedAt = Date.now();
        else lost.abort(new Error('the lease of the run was lost'));
      },
      () => {
        if (Date.now() - renewedAt > 4 * renewMs) lost.abort(new Error('the lease of the run could not be renewed'));
      },
    );
  }, renewMs);
  return { signal: lost.signal, release: () => clearInterval(timer) };
}
