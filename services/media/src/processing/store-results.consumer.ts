import { transcriptionEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Processing } from './processing.service.ts';

/** A stage left its results: they become the file's own, each once. */
export const storeResults = ({ processing }: { processing: Processing }) =>
  consumer(transcriptionEvents.stageCompleted, 'store-results', processing.stageCompleted);
