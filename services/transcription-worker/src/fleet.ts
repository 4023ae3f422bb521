import { jobDurable, workerJobs, type workerGpu } from '@overtone/contracts';
import type { Ability, Concurrency, Log, Part } from '@overtone/service-kit';
import type { z } from 'zod';
import { chooseEngine, type Serving } from './engines/selection.ts';
import type { SpeechEngine } from './engines/engines.ts';
import type { Processors } from './sherpa/processors.ts';

const lookMs = 5_000;

export type FleetOptions = {
  log: Log;
  candidates: readonly SpeechEngine[];
  wanted: string | undefined;
  processors: Processors;
  concurrency: Concurrency;
  pool: z.infer<typeof workerGpu>['pool'];
};

/** The worker's current capabilities, refreshed every few seconds and reported in its heartbeat. */
export function createFleet({ log, candidates, wanted, processors, ...o }: FleetOptions) {
  let serving: Serving = { engine: undefined, info: null, note: 'Looking for a speech engine' };
  let timer: NodeJS.Timeout | undefined;
  const needsEngine = jobDurable(workerJobs.transcribe);

  const gpu = (): z.infer<typeof workerGpu> => {
    const { devices, note } = processors.state();
    const tuning = serving.engine?.tuning ?? null;
    return { devices: [...devices], note, concurrency: o.concurrency.gpu ?? 0, pool: o.pool, tuning };
  };
  const look = async (): Promise<void> => {
    const before = serving.info?.model ?? serving.note;
    await processors.look();
    serving = await chooseEngine(candidates, wanted);
    if ((serving.info?.model ?? serving.note) !== before)
      log.info({ engine: serving.info, note: serving.note }, 'speech engine selected');
  };
  const quietly = () => look().catch((err: unknown) => log.debug({ err: err as Error }, 'speech engine check failed'));

  const part: Part = {
    name: 'fleet',
    start: async () => {
      await quietly();
      timer = setInterval(() => void quietly(), lookMs);
    },
    stop: async () => {
      clearInterval(timer);
      for (const c of candidates) c.close();
    },
  };
  return {
    part,
    engine: () => serving.engine,
    about: (): Ability => ({
      engine: serving.info,
      engineNote: serving.note,
      languages: serving.engine ? [...serving.engine.languages] : null,
      gpu: gpu(),
    }),
    /** Without an engine, the worker does not pull transcription jobs. */
    able: (durable: string): boolean => durable !== needsEngine || serving.engine !== undefined,
  };
}
