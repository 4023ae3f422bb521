import { stages, transcriptionLive, type DataOf, type LiveDef, type Stage } from '@overtone/contracts';
import type { Bus, Log } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { defaultRates, type Rates } from '../timing/timing.ts';
import { overallOf, withEstimatedFraction } from './progress.ts';

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
  let current: Rates = defaultRates;
  let ratesAt = 0;
  const refreshRates = async (): Promise<void> => {
    if (Date.now() - ratesAt < ratesMaxAgeMs) return;
    ratesAt = Date.now();
    current = await rates();
  };

  const trackRun = async (report: TaskProgress): Promise<RunProgress> => {
    const known = runs.get(report.runId);
    if (known && known.stage === report.stage && known.token >= report.token) return known;
    await refreshRates();
    const run = await db.run.findUnique({ where: { id: report.runId }, select: { audioDurationS: true } });
    const fresh: RunProgress = {
      audioSeconds: run?.audioDurationS ?? null,
      token: report.token,
      stage: report.stage,
      since: Date.now(),
      best: runs.get(report.runId)?.best ?? 0,
      receivedAt: Date.now(),
    };
    runs.set(report.runId, fresh);
    return fresh;
  };

  const publish = (known: RunProgress, report: TaskProgress): void => {
    const elapsed = (Date.now() - known.since) / 1000;
    const estimated = withEstimatedFraction(report, current, known.audioSeconds, elapsed);
    const overall = overallOf(estimated, current, known.audioSeconds, elapsed);
    known.best = Math.max(known.best, overall.progress);
    const { runId, fileId, ownerId, stage, message } = report;
    bus.publishLive(transcriptionLive.fileProgress, {
      runId,
      fileId,
      ownerId,
      stage,
      message,
      stageFraction: estimated.fraction,
      progress: known.best,
      etaSeconds: overall.etaSeconds,
    });
  };
  const update = async (report: TaskProgress): Promise<void> => {
    const previous = runs.get(report.runId);
    // A superseded worker still reports a completed stage.
    if (previous && stages.indexOf(report.stage) < stages.indexOf(previous.stage)) return;
    const known = await trackRun(report);
    if (report.token < known.token) return;
    known.receivedAt = Date.now();
    known.last = report;
    publish(known, report);
  };

  return {
    receive: (report: TaskProgress): void =>
      void update(report).catch((err: unknown) => log.debug({ err: err as Error }, 'progress update failed')),
    /** The fraction of a run's stage that its worker reported last. */
    fractionOf: (runId: string, stage: string): number => {
      const known = runs.get(runId);
      return known?.stage === stage ? (known.last?.fraction ?? 0) : 0;
    },
    /** Republishes progress for clients that connected since; drops runs that ended or became silent. */
    republish: async (): Promise<void> => {
      const ids = [...runs.keys()];
      if (ids.length === 0) return;
      await refreshRates();
      const running = await db.run.findMany({
        where: { id: { in: ids }, status: 'running' },
        select: { id: true, waitingFor: true },
      });
      const waitingReasons = new Map(running.map((run) => [run.id, run.waitingFor]));
      for (const [runId, known] of runs) {
        const silentMs = Date.now() - known.receivedAt;
        if (!waitingReasons.has(runId) || silentMs > forgetAfterMs) runs.delete(runId);
        else if (known.last && silentMs > republishAfterMs && waitingReasons.get(runId) === null)
          publish(known, known.last);
      }
    },
  };
}
