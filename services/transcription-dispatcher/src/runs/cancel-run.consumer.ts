import { mediaEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Runs } from './runs.service.ts';

/** A user stopped a file: cancels its run and notifies its workers. */
export function cancelRun({ runs }: { runs: Runs }) {
  return consumer(mediaEvents.cancelOrdered, 'cancel-run', (data, delivery) => runs.cancel(data, delivery));
}
