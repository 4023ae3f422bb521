import { searchEvents } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { Log } from '@overtone/service-kit';
import { chunk, type Passage } from '../chunking/chunking.ts';
import type { Db } from '../database.ts';
import type { Build, SearchIndex, VectorModel } from '../ports/search-index.ts';
import type { IndexableFile, Transcripts } from '../ports/transcripts.ts';
import type { Vectoriser, Vectors } from '../ports/vectoriser.ts';
import type { Telemetry } from '../telemetry.ts';
import { fingerprintOf, rowsOf, speakersOf, windowTextsOf } from './indexing.ts';
import type { IndexingStore } from './indexing.store.ts';
import { createKeyedQueue } from './keyed-queue.ts';

export type IndexingDeps = {
  db: Db;
  outbox: Outbox;
  store: IndexingStore;
  index: SearchIndex;
  transcripts: Transcripts;
  vectoriser: Vectoriser;
  telemetry: Telemetry;
  log: Log;
};
export type IndexOptions = {
  signal: AbortSignal;
  progress?: (fraction: number, message: string) => void;
  /** Writes only this build, without an event; used by a rebuild. */
  onlyBuild?: Build;
};
export type IndexOutcome =
  | { status: 'indexed'; chunks: number; semantic: boolean; embedSeconds: number; file: IndexableFile }
  | { status: 'gone' };
export type Indexing = ReturnType<typeof createIndexing>;

/**
 * Reads a file's current transcript and replaces its rows; idempotent. Without vectors the file is found by keywords only
 * and is marked for indexing again.
 */
export function createIndexing({ vectoriser, log, index, db, store, outbox, transcripts, telemetry }: IndexingDeps) {
  // Serialized per file, so that a write in progress cannot follow the file's deletion.
  const queue = createKeyedQueue();

  const vectorsOf = async (passages: readonly Passage[], options: IndexOptions): Promise<Vectors | null> => {
    if (passages.length === 0) return null;
    const texts = windowTextsOf(passages);
    const onProgress = (share: number) => options.progress?.(0.1 + 0.7 * share, 'Reading for meaning');
    return vectoriser.documents(texts, options.signal, onProgress).catch((err: unknown) => {
      options.signal.throwIfAborted();
      log.warn({ err: err as Error }, 'vectors unavailable: file indexed by keywords only');
      return null;
    });
  };

  const buildsFor = async (model: VectorModel | null, only: Build | undefined): Promise<Build[]> => {
    if (only) return [only];
    const { current, building } = await index.builds();
    const first = current ?? building ?? (await index.beginBuild(model, true));
    return building && building.id !== first.id ? [first, building] : [first];
  };

  const write = async (file: IndexableFile, passages: Passage[], vectors: Vectors | null, builds: readonly Build[]) => {
    let semantic = false;
    for (const build of builds) {
      // Vectors of another model cannot be compared: that build gets keywords only.
      const fits = vectors !== null && (build.model === null || build.model.name === vectors.model.name);
      const rows = rowsOf(file, passages, fits ? vectors.vectors : []);
      await index.replaceFile(build.id, file.fileId, rows, fits ? vectors.model : null);
      semantic = fits;
    }
    return semantic;
  };

  const record = async (
    file: IndexableFile,
    passages: Passage[],
    options: { build: Build; model: string | null; publish: boolean },
  ) => {
    const { fileId, ownerId, transcriptVersion, filename: _, uploadTime, ...facts } = file;
    const indexed = { fileId, ownerId, transcriptVersion, chunks: passages.length, semantic: options.model !== null };
    await db.$transaction(async (tx) => {
      await store.save(tx, {
        ...facts,
        ...indexed,
        speakers: speakersOf(passages),
        uploadTime: new Date(uploadTime),
        fingerprint: fingerprintOf(file),
        generation: options.build.id,
        model: options.model,
      });
      if (options.publish) await outbox.add(tx, searchEvents.fileIndexed, indexed);
    });
  };

  const forgetNow = async (fileId: string): Promise<void> => {
    // Removes the displayed data first: a concurrent search then omits the file.
    await store.remove(fileId);
    await index.removeFile(fileId);
  };

  const indexNow = async (fileId: string, options: IndexOptions): Promise<IndexOutcome> => {
    options.progress?.(0.02, 'Reading the transcript');
    const found = await transcripts.read(fileId, options.signal);
    if (!found) {
      await forgetNow(fileId);
      return { status: 'gone' };
    }
    const passages = chunk(found.segments);
    const started = performance.now();
    const vectors = await vectorsOf(passages, options);
    const embedSeconds = (performance.now() - started) / 1000;
    options.progress?.(0.85, 'Writing the index');
    const builds = await buildsFor(vectors?.model ?? null, options.onlyBuild);
    const semantic = await write(found.file, passages, vectors, builds);
    await record(found.file, passages, {
      build: builds.at(-1) as Build,
      model: semantic ? (vectors?.model.name ?? null) : null,
      publish: options.onlyBuild === undefined,
    });
    telemetry.indexed.inc({ kind: semantic ? 'semantic' : 'keyword' });
    return { status: 'indexed', chunks: passages.length, semantic, embedSeconds, file: found.file };
  };

  return {
    indexFile: (fileId: string, options: IndexOptions): Promise<IndexOutcome> =>
      queue.run(fileId, () => indexNow(fileId, options)),
    forget: (fileId: string): Promise<void> => queue.run(fileId, () => forgetNow(fileId)),
  };
}
