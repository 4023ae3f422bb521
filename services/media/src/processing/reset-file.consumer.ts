import { transcriptionEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Processing } from './processing.service.ts';

/** Stuck recovery reset a stage: returns the file to a retryable state and removes partial segments. */
export function resetFile({ processing }: { processing: Processing }) {
  return consumer(transcriptionEvents.stageReset, 'reset-file', processing.stageReset);
}
