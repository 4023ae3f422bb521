import { jobDurable, workerJobs, type EngineInfo, type workerValue } from '@overtone/contracts';
import type { Bus, Log, Part } from '@overtone/service-kit';
import type { z } from 'zod';
import { chooseEngine, type Serving } from './engines/selection.ts';
import type { SpeechEngine } from './engines/engines.ts';

const lookMs = 5_000;
const lifeMs = 15_000;

export type FleetOptions = {
  bus: Bus;
  log: Log;
  workerId: string;
  candidates: readonly SpeechEngine[];
  wanted: string | undefined;
};

/** What this worker can do now: looked at every few seconds and told to the dispatcher through WORKERS. */
export const createFleet = ({ bus, log, workerId, candidates, wanted }: FleetOptions) => {
  let serving: Serving = { engine: undefined, info: null, note: 'Looking for a speech engine' };
  let timer: NodeJS.Timeout | undefined;
  const pulls = [...new Set(Object.values(workerJobs).map(jobDurable))];
  const needsEngine = jobDurable(workerJobs.transcribe);

  const told = (info: EngineInfo | null): z.infer<typeof workerValue> => ({
    service: bus.service,
    pulls: info ? pulls : pulls.filter((p) => p !== needsEngine),
    engine: info,
    engineNote: serving.note,
    expiresAt: Date.now() + lifeMs,
  });
  const look = async (): Promise<void> => {
    const before = serving.info?.model ?? serving.note;
    serving = await chooseEngine(candidates, wanted);
    if ((serving.info?.model ?? serving.note) !== before)
      log.info({ engine: serving.info, note: serving.note }, 'speech engine');
    const kv = await bus.kv('WORKERS');
    await kv.put(`worker.${workerId}`, JSON.stringify(told(serving.info)));
  };
  const quietly = () =>
    look().catch((err: unknown) => log.debug({ err: err as Error }, 'not told to the dispatcher yet'));

  const part: Part = {
    name: 'fleet',
    start: async () => {
      await quietly();
      timer = setInterval(() => void quietly(), lookMs);
    },
    stop: async () => {
      clearInterval(timer);
      for (const c of candidates) c.close();
      await bus
        .kv('WORKERS')
        .then((kv) => kv.delete(`worker.${workerId}`))
        .catch(() => {});
    },
  };
  return {
    part,
    engine: () => serving.engine,
    /** Transcription jobs are left to others while there is no engine. */
    able: (durable: string): boolean => durable !== needsEngine || serving.engine !== undefined,
  };
};
