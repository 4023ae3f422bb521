import { mediaEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Runs } from './runs.service.ts';

/** A file was uploaded: opens its first run, once. */
export function startRun({ runs }: { runs: Runs }) {
  return consumer(mediaEvents.uploaded, 'start-run', (data, delivery) => runs.uploaded(data, delivery));
}
