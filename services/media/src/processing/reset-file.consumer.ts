import { transcriptionEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Processing } from './processing.service.ts';

/** Stuck recovery took a stage back: the file returns to a retryable state, without partial segments. */
export const resetFile = ({ processing }: { processing: Processing }) =>
  consumer(transcriptionEvents.stageReset, 'reset-file', processing.stageReset);
