import { transcriptionEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Processing } from './processing.service.ts';

/** A run failed: the file says why and what can be done. */
export const failFile = ({ processing }: { processing: Processing }) =>
  consumer(transcriptionEvents.runFailed, 'fail-file', processing.failed);
