import { transcriptionEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Processing } from './processing.service.ts';

/** A run was opened: the file follows it from now on. */
export function takeOverRun({ processing }: { processing: Processing }) {
  return consumer(transcriptionEvents.runOpened, 'take-over-run', processing.opened);
}
