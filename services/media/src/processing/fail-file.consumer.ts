import { transcriptionEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Processing } from './processing.service.ts';

/** A run failed: stores the error with the file. */
export function failFile({ processing }: { processing: Processing }) {
  return consumer(transcriptionEvents.runFailed, 'fail-file', processing.failed);
}
