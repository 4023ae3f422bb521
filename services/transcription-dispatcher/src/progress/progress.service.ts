import { stages, transcriptionLive, type DataOf, type LiveDef, type Stage } from '@overtone/contracts';
import type { Bus, Log } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { firstRates, type Rates } from '../timing/timing.ts';
import { effective, overallOf } from './progress.ts';

type TaskProgress = DataOf<typeof transcriptionLive.taskProgress & LiveDef>;
type Known = {
  audioSeconds: number | null;
  token: number;
  stage: Stage;
  since: number;
  /** Never goes back while the run goes on: a repeated stage holds the bar instead of moving it down. */
  best: number;
  last?: TaskProgress;
  heardAt: number;
};
export type ProgressDeps = { db: Db; bus: Pick<Bus, 'say'>; rates: () => Promise<Rates>; log: Log };

/** Longer than any stage says nothing. */
const forgetAfterMs = 60 * 60_000;
const repeatAfterMs = 1_500;
const ratesForMs = 60_000;

/** A worker's progress on a task, told on as progress of the file. */
export const createProgress = ({ db, bus, rates, log }: ProgressDeps) => {
  const runs = new Map<string, Known>();
  let current: Rates = firstRates;
  let ratesAt = 0;
  const refreshRates = async (): Promise<void> => {
    if (Date.now() - ratesAt < ratesForMs) return;
    ratesAt = Date.now();
    current = await rates();
  };

  const know = async (p: TaskProgress): Promise<Known> => {
    const known = runs.get(p.runId);
    if (known && known.stage === p.stage && known.token >= p.token) return known;
    await refreshRates();
    const run = await db.run.findUnique({ where: { id: p.runId }, select: { audioDurationS: true } });
    const fresh: Known = {
      audioSeconds: run?.audioDurationS ?? null,
      token: p.token,
      stage: p.stage,
      since: Date.now(),
      best: runs.get(p.runId)?.best ?? 0,
      heardAt: Date.now(),
    };
    runs.set(p.runId, fresh);
    return fresh;
  };

  const tell = (known: Known, p: TaskProgress): void => {
    const elapsed = (Date.now() - known.since) / 1000;
    const at = effective(p, current, known.audioSeconds, elapsed);
    const overall = overallOf(at, current, known.audioSeconds, elapsed);
    known.best = Math.max(known.best, overall.progress);
    const { runId, fileId, ownerId, stage, message } = p;
    bus.say(transcriptionLive.fileProgress, {
      runId,
      fileId,
      ownerId,
      stage,
      message,
      stageFraction: at.fraction,
      progress: known.best,
      etaSeconds: overall.etaSeconds,
    });
  };
  const heard = async (p: TaskProgress): Promise<void> => {
    const before = runs.get(p.runId);
    // A ghost still works on a stage that is done.
    if (before && stages.indexOf(p.stage) < stages.indexOf(before.stage)) return;
    const known = await know(p);
    if (p.token < known.token) return;
    known.heardAt = Date.now();
    known.last = p;
    tell(known, p);
  };

  return {
    heard: (p: TaskProgress): void =>
      void heard(p).catch((err: unknown) => log.debug({ err: err as Error }, 'progress not told')),
    /** How far a run's stage is, as its worker said last. */
    fractionOf: (runId: string, stage: string): number => {
      const known = runs.get(runId);
      return known?.stage === stage ? (known.last?.fraction ?? 0) : 0;
    },
    /** Said again now and then for whoever has come meanwhile; runs that are over or fell silent are forgotten. */
    repeat: async (): Promise<void> => {
      const ids = [...runs.keys()];
      if (ids.length === 0) return;
      await refreshRates();
      const going = await db.run.findMany({
        where: { id: { in: ids }, status: 'running' },
        select: { id: true, waitingFor: true },
      });
      const alive = new Map(going.map((r) => [r.id, r.waitingFor]));
      for (const [runId, known] of runs) {
        const silentMs = Date.now() - known.heardAt;
        if (!alive.has(runId) || silentMs > forgetAfterMs) runs.delete(runId);
        else if (known.last && silentMs > repeatAfterMs && alive.get(runId) === null) tell(known, known.last);
      }
    },
  };
};
