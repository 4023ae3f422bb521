import { indexerJobs } from '@overtone/contracts';
import { concurrencyOf, worker, type Recycling, type Worker } from '@overtone/service-kit';
import type { Indexing } from './indexing.service.ts';

/** Handles `index`, the last stage of a run, which is enqueued when media has stored the transcript. */
export function indexingWorker(d: { indexing: Indexing; workerId: string; recycling: Recycling }): Worker {
  return worker(
    indexerJobs,
    {
      index: async ({ fileId }, { signal, progress }) => {
        const outcome = await d.indexing.indexFile(fileId, { signal, progress });
        if (outcome.status === 'gone') return { artefact: null, chunks: 0, semantic: false, engine_seconds: 0 };
        const { chunks, semantic, embedSeconds } = outcome;
        return { artefact: null, chunks, semantic, engine_seconds: embedSeconds };
      },
    },
    { workerId: d.workerId, concurrency: concurrencyOf(indexerJobs), recycling: d.recycling },
  );
}
