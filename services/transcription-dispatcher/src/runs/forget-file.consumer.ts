import { mediaEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Runs } from './runs.service.ts';

/** A file was deleted: cancels its run and its index tasks. */
export function forgetFile({ runs }: { runs: Runs }) {
  return consumer(mediaEvents.deleted, 'forget-file', async (data, delivery) => {
    await runs.cancel(data, delivery);
    await runs.cancelIndexTasks(data.fileId);
  });
}
