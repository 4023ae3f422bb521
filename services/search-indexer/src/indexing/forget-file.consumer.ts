import { mediaEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Indexing } from './indexing.service.ts';

/** A file was deleted: removes it from the index. */
export const forgetFile = ({ indexing }: { indexing: Indexing }) =>
  consumer(mediaEvents.deleted, 'forget-file', ({ fileId }) => indexing.forget(fileId));
