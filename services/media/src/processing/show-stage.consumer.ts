import { transcriptionEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Processing } from './processing.service.ts';

/** A stage started: updates the file's status, unless a later stage has started. */
export function showStage({ processing }: { processing: Processing }) {
  return consumer(transcriptionEvents.stageStarted, 'show-stage', processing.stageStarted);
}
