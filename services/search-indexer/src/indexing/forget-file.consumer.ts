import { mediaEvents } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Indexing } from './indexing.service.ts';

/** A file was deleted: removes it from the index. */
export function forgetFile({ indexing }: { indexing: Indexing }) {
  return consumer(mediaEvents.deleted, 'forget-file', ({ fileId }) => indexing.forget(fileId));
}
