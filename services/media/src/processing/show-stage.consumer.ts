import { transcriptionEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Processing } from './processing.service.ts';

/** A stage began: the file's status says so, unless it is further already. */
export const showStage = ({ processing }: { processing: Processing }) =>
  consumer(transcriptionEvents.stageStarted, 'show-stage', processing.stageStarted);
