import { transcriptionEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Processing } from './processing.service.ts';

/** A run completed: sets the file to completed. */
export function completeFile({ processing }: { processing: Processing }) {
  return consumer(transcriptionEvents.runCompleted, 'complete-file', processing.completed);
}
