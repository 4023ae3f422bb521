import { mediaEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Runs } from './runs.service.ts';

/** Media stored the transcript that people read: the index of it is ordered. */
export const orderIndex = ({ runs }: { runs: Runs }) =>
  consumer(mediaEvents.transcriptStored, 'order-index', async (data) => runs.transcriptStored(data));
