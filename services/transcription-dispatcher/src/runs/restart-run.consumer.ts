import { mediaEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Runs } from './runs.service.ts';

/** A user requested a new transcription: a new run supersedes the running one. */
export function restartRun({ runs }: { runs: Runs }) {
  return consumer(mediaEvents.reprocessOrdered, 'restart-run', (data, delivery) => runs.reprocess(data, delivery));
}
