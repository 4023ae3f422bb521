import { indexerJobs, jobDurable } from '@overtone/contracts';
import type { Bus, Part } from '@overtone/service-kit';

const everyMs = 5_000;
const lifeMs = 15_000;

/** Tells the dispatcher that somebody indexes, so that it does not call files waiting for a worker. */
export const createAnnouncement = ({ bus, workerId }: { bus: Bus; workerId: string }): Part => {
  let timer: NodeJS.Timeout | undefined;
  const key = `worker.${workerId}`;
  const tell = async (): Promise<void> => {
    const kv = await bus.kv('WORKERS');
    const pulls = [...new Set(Object.values(indexerJobs).map(jobDurable))];
    const value = { service: bus.service, pulls, engine: null, engineNote: null, expiresAt: Date.now() + lifeMs };
    await kv.put(key, JSON.stringify(value));
  };
  // The dispatcher makes the bucket; until it has, there is nobody to tell.
  const quietly = () => void tell().catch((e: unknown) => bus.log.debug({ err: e as Error }, 'not announced yet'));
  return {
    name: 'announcement',
    start: async () => {
      quietly();
      timer = setInterval(quietly, everyMs);
    },
    stop: async () => {
      clearInterval(timer);
      await bus.kv('WORKERS').then((kv) => kv.delete(key));
    },
  };
};
