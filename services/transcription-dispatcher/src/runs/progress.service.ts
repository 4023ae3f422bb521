import { stages, transcriptionLive, type DataOf, type LiveDef, type Stage } from '@overtone/contracts';
import type { Bus, Log } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { defaultRates, overallOf, withEstimatedFraction, type Rates } from './progress.ts';

type TaskProgress = DataOf<typeof transcriptionLive.taskProgress & LiveDef>;
type RunProgress = {
  audioSeconds: number | null;
  token: number;
  stage: Stage;
  since: number;
  /** Highest published progress: it never decreases, even when a stage is repeated. */
  best: number;
  last?: TaskProgress;
  receivedAt: number;
};
export type ProgressDeps = { db: Db; bus: Pick<Bus, 'publishLive'>; rates: () => Promise<Rates>; log: Log };

/** Longer than any stage is silent. */
const forgetAfterMs = 60 * 60_000;
const republishAfterMs = 1_500;
const ratesMaxAgeMs = 60_000;

/** Converts a worker's progress on a task into progress of the file. */
export function createProgress({ db, bus, rates, log }: ProgressDeps) {
  const runs = new Map<string, RunProgress>();
  const recentRates = createRecentRates(rates);

  const trackRun = async ({ runId, stage, token }: TaskProgress): Promise<RunProgress> => {
    const known = runs.get(runId);
    if (known && known.stage === stage && known.token >= token) return known;
    await recentRates.refresh();
    const run = await db.run.findUnique({ where: { id: runId }, select: { audioDurationS: true } });
    const audioSeconds = run?.audioDurationS ?? null;
    const now = Date.now();
    const fresh = { audioSeconds, token, stage, since: now, best: runs.get(runId)?.best ?? 0, receivedAt: now };
    runs.set(runId, fresh);
    return fresh;
  };

  const update = async (report: TaskProgress): Promise<void> => {
    const previous = runs.get(report.runId);
    // A superseded worker still reports a completed stage.
    if (previous && stages.indexOf(report.stage) < stages.indexOf(previous.stage)) return;
    const known = await trackRun(report);
    if (report.token < known.token) return;
    known.receivedAt = Date.now();
    known.last = report;
    publishProgress(bus, known, report, recentRates.current());
  };

  return {
    receive: (report: TaskProgress): void =>
      void update(report).catch((err: unknown) => log.debug({ err: err as Error }, 'progress update failed')),
    fractionOf: (runId: string, stage: string): number => {
      const known = runs.get(runId);
      return known?.stage === stage ? (known.last?.fraction ?? 0) : 0;
    },
    /** Republishes progress for clients that connected since; drops runs that ended or became silent. */
    republish: async (): Promise<void> => {
      const ids = [...runs.keys()];
      if (ids.length === 0) return;
      await recentRates.refresh();
      const running = await db.run.findMany({
        where: { id: { in: ids }, status: 'running' },
        select: { id: true, waitingFor: true },
      });
      const waitingReasons = new Map(running.map((run) => [run.id, run.waitingFor]));
      for (const [runId, known] of runs) {
        const silentMs = Date.now() - known.receivedAt;
        if (!waitingReasons.has(runId) || silentMs > forgetAfterMs) runs.delete(runId);
        else if (known.last && silentMs > republishAfterMs && waitingReasons.get(runId) === null)
          publishProgress(bus, known, known.last, recentRates.current());
      }
    },
  };
}

/** The rates of past runs, read again when they are a minute old. */
function createRecentRates(read: () => Promise<Rates>) {
  let current: Rates = defaultRates;
  let readAt = 0;
  return {
    current: () => current,
    refresh: async (): Promise<void> => {
      if (Date.now() - readAt < ratesMaxAgeMs) return;
      readAt = Date.now();
      current = await read();
    },
  };
}

function publishProgress(bus: ProgressDeps['bus'], run: RunProgress, report: TaskProgress, rates: Rates): void {
  const elapsed = (Date.now() - run.since) / 1000;
  const estimated = withEstimatedFraction(report, rates, run.audioSeconds, elapsed);
  const { progress, etaSeconds } = overallOf(estimated, rates, run.audioSeconds, elapsed);
  run.best = Math.max(run.best, progress);
  const { runId, fileId, ownerId, stage, message } = report;
  const state = { stageFraction: estimated.fraction, progress: run.best, etaSeconds };
  bus.publishLive(transcriptionLive.fileProgress, { runId, fileId, ownerId, stage, message, ...state });
}
