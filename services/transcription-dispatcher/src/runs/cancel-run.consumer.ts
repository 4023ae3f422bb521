import { mediaEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Runs } from './runs.service.ts';

/** Somebody stopped a file: its run ends and its workers are told. */
export const cancelRun = ({ runs }: { runs: Runs }) =>
  consumer(mediaEvents.cancelOrdered, 'cancel-run', (data, delivery) => runs.cancel(data, delivery));
