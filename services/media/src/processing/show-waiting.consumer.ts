import { transcriptionEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Processing } from './processing.service.ts';

/** A run waits for an engine or a worker, or continues: updates the file's waiting reason. */
export function showWaiting({ processing }: { processing: Processing }) {
  return consumer(transcriptionEvents.runWaiting, 'show-waiting', processing.waiting);
}
