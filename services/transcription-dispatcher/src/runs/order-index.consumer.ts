import { mediaEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Runs } from './runs.service.ts';

/** Media stored the final transcript: enqueues its indexing. */
export function orderIndex({ runs }: { runs: Runs }) {
  return consumer(mediaEvents.transcriptStored, 'order-index', async (data) => runs.transcriptStored(data));
}
