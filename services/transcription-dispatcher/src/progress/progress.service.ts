import { transcriptionLive, type DataOf, type LiveDef, type Stage } from '@overtone/contracts';
import type { Bus, Log } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { firstRates, type Rates } from '../timing/timing.ts';
import { overallOf } from './progress.ts';

type TaskProgress = DataOf<typeof transcriptionLive.taskProgress & LiveDef>;
type FileProgress = DataOf<typeof transcriptionLive.fileProgress & LiveDef>;
type Known = {
  audioSeconds: number | null;
  token: number;
  stage: Stage;
  since: number;
  /** Never goes back while the run goes on: a repeated stage holds the bar instead of moving it down. */
  best: number;
  last?: FileProgress;
  heardAt: number;
};
export type ProgressDeps = { db: Db; bus: Pick<Bus, 'say'>; rates: () => Promise<Rates>; log: Log };

const forgetAfterMs = 10 * 60_000;

/** A worker's progress on a task, told on as progress of the file. */
export const createProgress = ({ db, bus, rates, log }: ProgressDeps) => {
  const runs = new Map<string, Known>();
  let current: Rates = firstRates;

  const know = async (p: TaskProgress): Promise<Known> => {
    const known = runs.get(p.runId);
    if (known && known.stage === p.stage && known.token >= p.token) return known;
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

  const heard = async (p: TaskProgress): Promise<void> => {
    const known = await know(p);
    if (p.token < known.token) return;
    const elapsed = (Date.now() - known.since) / 1000;
    const overall = overallOf(p, current, known.audioSeconds, elapsed);
    known.best = Math.max(known.best, overall.progress);
    known.heardAt = Date.now();
    const { runId, fileId, ownerId, stage, fraction, message } = p;
    known.last = {
      runId,
      fileId,
      ownerId,
      stage,
      message,
      stageFraction: fraction,
      progress: known.best,
      etaSeconds: overall.etaSeconds,
    };
    bus.say(transcriptionLive.fileProgress, known.last);
  };

  return {
    heard: (p: TaskProgress): void =>
      void heard(p).catch((err: unknown) => log.debug({ err: err as Error }, 'progress not told')),
    /** Said again now and then for whoever has come meanwhile; runs that are over or fell silent are forgotten. */
    repeat: async (): Promise<void> => {
      current = await rates();
      const ids = [...runs.keys()];
      const going = await db.run.findMany({ where: { id: { in: ids }, status: 'running' }, select: { id: true } });
      const alive = new Set(going.map((r) => r.id));
      for (const [runId, known] of runs) {
        const silentMs = Date.now() - known.heardAt;
        if (!alive.has(runId) || silentMs > forgetAfterMs) runs.delete(runId);
        else if (known.last && silentMs > 2_000) bus.say(transcriptionLive.fileProgress, known.last);
      }
    },
  };
};
