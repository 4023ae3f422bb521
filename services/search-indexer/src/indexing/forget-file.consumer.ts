import { mediaEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Indexing } from './indexing.service.ts';

/** A file was deleted: nothing of it can be found any more. */
export const forgetFile = ({ indexing }: { indexing: Indexing }) =>
  consumer(mediaEvents.deleted, 'forget-file', ({ fileId }) => indexing.forget(fileId));
