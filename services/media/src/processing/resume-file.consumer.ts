import { transcriptionEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Processing } from './processing.service.ts';

/** A dead job is retried: the file is processed again. */
export function resumeFile({ processing }: { processing: Processing }) {
  return consumer(transcriptionEvents.runResumed, 'resume-file', processing.resumed);
}
