import { transcriptionEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Processing } from './processing.service.ts';

/** A run waits for an engine or a worker, or goes on: the file says which. */
export const showWaiting = ({ processing }: { processing: Processing }) =>
  consumer(transcriptionEvents.runWaiting, 'show-waiting', processing.waiting);
