import { transcriptionEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Processing } from './processing.service.ts';

/** A stage started: updates the file's status, unless a later stage has started. */
export const showStage = ({ processing }: { processing: Processing }) =>
  consumer(transcriptionEvents.stageStarted, 'show-stage', processing.stageStarted);
