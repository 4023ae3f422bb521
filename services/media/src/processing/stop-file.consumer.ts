import { transcriptionEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Processing } from './processing.service.ts';

/** A run was cancelled: sets the file to cancelled. */
export function stopFile({ processing }: { processing: Processing }) {
  return consumer(transcriptionEvents.runCancelled, 'stop-file', processing.cancelled);
}
