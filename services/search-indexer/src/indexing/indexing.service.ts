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
import { createTurns } from './turns.ts';

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
  /** Only this build (a rebuild fills it), and nobody is told. */
  onlyBuild?: Build;
};
export type IndexOutcome =
  | { status: 'indexed'; chunks: number; semantic: boolean; embedSeconds: number; file: IndexableFile }
  | { status: 'gone' };
export type Indexing = ReturnType<typeof createIndexing>;

/**
 * Reads a file as it is now and puts its rows in place of the earlier ones. Doing it twice changes nothing. Without
 * vectors the file is found by its words, and the sweep comes back for the rest.
 */
export const createIndexing = (d: IndexingDeps) => {
  // One file at a time is enough to keep a deletion from being overtaken by the writing it must undo.
  const turns = createTurns();

  const vectorsOf = async (passages: readonly Passage[], o: IndexOptions): Promise<Vectors | null> => {
    if (passages.length === 0) return null;
    const texts = windowTextsOf(passages);
    const tell = (share: number) => o.progress?.(0.1 + 0.7 * share, 'Reading for meaning');
    return d.vectoriser.documents(texts, o.signal, tell).catch((err: unknown) => {
      o.signal.throwIfAborted();
      d.log.warn({ err: err as Error }, 'no vectors: indexed by words only');
      return null;
    });
  };

  const buildsFor = async (model: VectorModel | null, only: Build | undefined): Promise<Build[]> => {
    if (only) return [only];
    const { current, building } = await d.index.builds();
    const first = current ?? building ?? (await d.index.beginBuild(model, true));
    return building && building.id !== first.id ? [first, building] : [first];
  };

  const write = async (file: IndexableFile, passages: Passage[], vectors: Vectors | null, builds: readonly Build[]) => {
    let semantic = false;
    for (const build of builds) {
      // Vectors of another model would lie in another space: that build gets the words only.
      const fits = vectors !== null && (build.model === null || build.model.name === vectors.model.name);
      const rows = rowsOf(file, passages, fits ? vectors.vectors : []);
      await d.index.replaceFile(build.id, file.fileId, rows, fits ? vectors.model : null);
      semantic = fits;
    }
    return semantic;
  };

  const record = async (
    file: IndexableFile,
    passages: Passage[],
    o: { build: Build; model: string | null; tell: boolean },
  ) => {
    const { fileId, ownerId, transcriptVersion, filename: _, uploadTime, ...facts } = file;
    const indexed = { fileId, ownerId, transcriptVersion, chunks: passages.length, semantic: o.model !== null };
    await d.db.$transaction(async (tx) => {
      await d.store.save(tx, {
        ...facts,
        ...indexed,
        speakers: speakersOf(passages),
        uploadTime: new Date(uploadTime),
        fingerprint: fingerprintOf(file),
        generation: o.build.id,
        model: o.model,
      });
      if (o.tell) await d.outbox.add(tx, searchEvents.fileIndexed, indexed);
    });
  };

  const forgetNow = async (fileId: string): Promise<void> => {
    // First what is shown, then what is found: a search in between leaves the file out.
    await d.store.remove(fileId);
    await d.index.removeFile(fileId);
  };

  const indexNow = async (fileId: string, o: IndexOptions): Promise<IndexOutcome> => {
    o.progress?.(0.02, 'Reading the transcript');
    const found = await d.transcripts.read(fileId, o.signal);
    if (!found) {
      await forgetNow(fileId);
      return { status: 'gone' };
    }
    const passages = chunk(found.segments);
    const started = performance.now();
    const vectors = await vectorsOf(passages, o);
    const embedSeconds = (performance.now() - started) / 1000;
    o.progress?.(0.85, 'Writing the index');
    const builds = await buildsFor(vectors?.model ?? null, o.onlyBuild);
    const semantic = await write(found.file, passages, vectors, builds);
    await record(found.file, passages, {
      build: builds.at(-1) as Build,
      model: semantic ? (vectors?.model.name ?? null) : null,
      tell: o.onlyBuild === undefined,
    });
    d.telemetry.indexed.inc({ kind: semantic ? 'semantic' : 'keyword' });
    return { status: 'indexed', chunks: passages.length, semantic, embedSeconds, file: found.file };
  };

  return {
    indexFile: (fileId: string, o: IndexOptions): Promise<IndexOutcome> => turns.of(fileId, () => indexNow(fileId, o)),
    forget: (fileId: string): Promise<void> => turns.of(fileId, () => forgetNow(fileId)),
  };
};
