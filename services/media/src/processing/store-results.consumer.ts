import { transcriptionEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Processing } from './processing.service.ts';

/** A stage completed: stores its results with the file, once. */
export function storeResults({ processing }: { processing: Processing }) {
  return consumer(transcriptionEvents.stageCompleted, 'store-results', processing.stageCompleted);
}
