import { transcriptionEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Processing } from './processing.service.ts';

/** A run was stopped: the file says so. */
export const stopFile = ({ processing }: { processing: Processing }) =>
  consumer(transcriptionEvents.runCancelled, 'stop-file', processing.cancelled);
