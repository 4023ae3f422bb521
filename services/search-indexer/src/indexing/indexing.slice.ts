import { randomUUID } from 'node:crypto';
import { indexerJobs, mediaEvents } from '@overtone/contracts';
import { concurrencyOf, worker, type Recycling } from '@overtone/jobs';
import { consumer, restingPeriodic, type Slice } from '@overtone/service-kit';
import { createDueFiles } from './due-files.store.ts';
import { createIndexStates } from './index-states.store.ts';
import { fingerprintOf } from './indexing.ts';
import { createIndexing, type Indexing, type IndexingDeps } from './indexing.service.ts';
import { createRefresh, type Refresh } from './refresh.service.ts';

/** Edits within this time are indexed together. */
const editPauseMs = 1_500;

type Deps = Omit<IndexingDeps, 'states'> & { recycling: Recycling };
type Members = { indexing: Indexing; refresh: Refresh; counts: ReturnType<typeof createIndexStates>['counts'] };

/** Keeps the index up to date with the files and transcripts of media. */
export function createIndexingSlice({ recycling, ...deps }: Deps): Slice & Members {
  const { db, index, transcripts, vectoriser, log } = deps;
  const states = createIndexStates({ db });
  const dueFiles = createDueFiles({ db });
  const indexing = createIndexing({ ...deps, states });
  const refresh = createRefresh({ states, dueFiles, indexing, index, vectoriser, log });
  return {
    indexing,
    refresh,
    counts: states.counts,
    consumers: [
      /** A file was deleted: removes it from the index. */
      consumer(mediaEvents.deleted, 'forget-file', ({ fileId }) => indexing.forget(fileId)),
      /** A file was moved to the bin: removes it. It is read again shortly, in case its restore was handled first. */
      consumer(mediaEvents.binned, 'hide-file', async ({ fileId, ownerId }) => {
        await indexing.forget(fileId);
        await dueFiles.mark(fileId, ownerId, 0);
      }),
      /** A file was put in quarantine: the same. */
      consumer(mediaEvents.quarantined, 'hide-quarantined-file', async ({ fileId, ownerId }) => {
        await indexing.forget(fileId);
        await dueFiles.mark(fileId, ownerId, 0);
      }),
      /** A file was restored from the bin or released from quarantine: it is indexed again if it has a transcript. */
      consumer(mediaEvents.restored, 'restore-file', async ({ fileId, ownerId, transcriptVersion }) => {
        if (transcriptVersion > 0) await dueFiles.mark(fileId, ownerId, 0);
      }),
      /** Text, speakers, tags or title were edited: the file is indexed again shortly, once for many edits. */
      consumer(mediaEvents.transcriptEdited, 'follow-edits', async ({ fileId, ownerId, transcriptVersion }) => {
        const known = await states.get(fileId);
        // Delivered late: a newer version is indexed already.
        if (known?.dueAt === null && known.transcriptVersion > transcriptVersion) return;
        await dueFiles.mark(fileId, ownerId, editPauseMs);
      }),
      /** More is masked: what was indexed before is withheld, and the files are indexed again. */
      consumer(mediaEvents.masksTightened, 'withhold-outdated', (scope) => states.withhold(scope)),
      /** A file's metadata changed: it is indexed again when the indexed metadata differs. */
      consumer(mediaEvents.updated, 'follow-files', async ({ fileId, ownerId }) => {
        const known = await states.get(fileId);
        if (!known?.indexedAt || known.dueAt) return;
        const file = await transcripts.file(fileId);
        if (file && fingerprintOf(file) !== known.fingerprint) await dueFiles.mark(fileId, ownerId, editPauseMs);
      }),
    ],
    jobs: [createIndexWorker({ indexing, recycling })],
    periodics: [restingPeriodic('index due files', 500, refresh.indexDue, dueFiles.nextDue)],
  };
}

/** Handles `index`, the last stage of a run, which is enqueued when media has stored the transcript. */
function createIndexWorker({ indexing, recycling }: { indexing: Indexing; recycling: Recycling }) {
  return worker(
    indexerJobs,
    {
      index: async ({ fileId }, { signal, progress }) => {
        const outcome = await indexing.indexFile(fileId, { signal, progress });
        if (outcome.status === 'gone') return { artefact: null, chunks: 0, semantic: false, engine_seconds: 0 };
        const { chunks, semantic, embedSeconds } = outcome;
        return { artefact: null, chunks, semantic, engine_seconds: embedSeconds };
      },
    },
    { workerId: `search-indexer-${randomUUID()}`, concurrency: concurrencyOf(indexerJobs), recycling },
  );
}
