import { searchEvents } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { Log, TextVectors } from '@overtone/service-kit';
import { chunk, type Passage } from '../chunking/chunking.ts';
import type { Db } from '../database.ts';
import type { IndexState } from '../generated/client.ts';
import type { Build, SearchIndex } from '../ports/search-index.ts';
import type { IndexableFile, Transcripts } from '../ports/transcripts.ts';
import type { Vectoriser } from '../ports/vectoriser.ts';
import type { Telemetry } from '../telemetry.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.store.ts';
import type { IndexStates } from './index-states.store.ts';
import { fingerprintOf, rowsOf, speakersOf, windowTextsOf, wordsOf } from './indexing.ts';

export type IndexingDeps = {
  db: Db;
  outbox: Outbox;
  states: IndexStates;
  vocabulary: Pick<Vocabulary, 'save' | 'changed'>;
  index: SearchIndex;
  transcripts: Transcripts;
  vectoriser: Vectoriser;
  telemetry: Telemetry;
  log: Log;
};
export type IndexOptions = {
  signal: AbortSignal;
  progress?: (fraction: number, message: string) => void;
  /**
   * Writes without an event, and only this build unless the file's rows in the current one are outdated; used by a reindex.
   */
  onlyBuild?: Build;
};
export type IndexOutcome =
  | { status: 'indexed'; chunks: number; semantic: boolean; embedSeconds: number; file: IndexableFile }
  | { status: 'gone' };
export type Indexing = ReturnType<typeof createIndexing>;
type Content = { file: IndexableFile; passages: Passage[]; vectors: TextVectors | null };

/** More than several replicas need that index a file at the same time. */
const maxAttempts = 5;

/**
 * Reads a file's current transcript and replaces its rows; idempotent. Without vectors the file is found by keywords only
 * and is marked for indexing again. A file may be indexed and removed concurrently: the state that was read before its
 * transcript must be unchanged when the rows are recorded.
 */
export function createIndexing(deps: IndexingDeps) {
  const { db, states, vocabulary, outbox, index, transcripts, vectoriser, telemetry, log } = deps;
  const forget = async (fileId: string): Promise<void> => {
    // Removes the displayed data first: a concurrent search then omits the file.
    await states.remove(fileId);
    await index.removeFile(fileId);
  };

  const readState = async (fileId: string): Promise<IndexState | null> => {
    const known = await states.get(fileId);
    if (known) return known;
    const file = await transcripts.file(fileId);
    return file && states.add(file);
  };

  /** @returns null when the state changed in between: the rows written may be outdated, or those of a deleted file. */
  const tryIndexing = async (fileId: string, options: IndexOptions): Promise<IndexOutcome | null> => {
    options.progress?.(0.02, 'Reading the transcript');
    const known = await readState(fileId);
    const found = known && (await transcripts.read(fileId, options.signal));
    if (!found) {
      await forget(fileId);
      return { status: 'gone' };
    }
    const { file } = found;
    const passages = chunk(found.segments);
    const started = performance.now();
    const vectors = await requestVectors({ vectoriser, log }, passages, options);
    const embedSeconds = (performance.now() - started) / 1000;
    options.progress?.(0.85, 'Writing the index');
    // What is recorded of a file must be true of the current build, too, because the one in progress may be discarded.
    const onlyBuild = isUpToDate(known, file, vectors) ? options.onlyBuild : undefined;
    const written = await writeRows(index, { file, passages, vectors }, onlyBuild);
    const state = stateOf(file, passages, written);
    const saved = await db.$transaction(async (tx) => {
      if (!(await states.save(tx, state, known))) return false;
      await vocabulary.save(tx, fileId, wordsOf(file, passages));
      const { ownerId, transcriptVersion, passages: chunks, semantic } = state;
      if (!options.onlyBuild)
        await outbox.add(tx, searchEvents.fileIndexed, { fileId, ownerId, transcriptVersion, chunks, semantic });
      return true;
    });
    if (!saved) return null;
    vocabulary.changed();
    telemetry.indexed.inc({ kind: state.semantic ? 'semantic' : 'keyword' });
    return { status: 'indexed', chunks: passages.length, semantic: state.semantic, embedSeconds, file };
  };

  const indexFile = async (fileId: string, options: IndexOptions): Promise<IndexOutcome> => {
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      const outcome = await tryIndexing(fileId, options);
      if (outcome) return outcome;
    }
    throw new Error(`the file was changed ${maxAttempts} times while it was indexed`);
  };

  return { indexFile, forget };
}

/** Whether another indexing of the file would write the same rows. */
function isUpToDate(known: IndexState, file: IndexableFile, vectors: TextVectors | null): boolean {
  const { indexedAt, fingerprint, withheld, semantic } = known;
  return indexedAt !== null && fingerprint === fingerprintOf(file) && !withheld && (semantic || vectors === null);
}

async function requestVectors(
  { vectoriser, log }: Pick<IndexingDeps, 'vectoriser' | 'log'>,
  passages: readonly Passage[],
  { signal, progress }: IndexOptions,
): Promise<TextVectors | null> {
  if (passages.length === 0) return null;
  const reportProgress = (share: number) => progress?.(0.1 + 0.7 * share, 'Reading for meaning');
  return vectoriser.documents(windowTextsOf(passages), signal, reportProgress).catch((err: unknown) => {
    signal.throwIfAborted();
    log.warn({ err: err as Error }, 'vectors unavailable: file indexed by keywords only');
    return null;
  });
}

type Written = { build: Build; model: string | null };

/** Replaces the file's rows in every build, or in one. @returns the last build and the model of its vectors. */
async function writeRows(index: SearchIndex, content: Content, onlyBuild: Build | undefined): Promise<Written> {
  const { file, passages, vectors } = content;
  const builds = onlyBuild ? [onlyBuild] : await requireBuilds(index, vectors);
  // Vectors of another model cannot be compared: that build gets keywords only.
  const fits = ({ model }: Build): boolean => model === null || model.name === vectors?.model.name;
  for (const build of builds) {
    const fitting = fits(build) ? vectors : null;
    const rows = rowsOf(file, passages, fitting?.vectors ?? []);
    await index.replaceFile(build.id, file.fileId, rows, fitting?.model ?? null);
  }
  const build = builds.at(-1) as Build;
  return { build, model: (fits(build) && vectors?.model.name) || null };
}

/** The current build, which is created if there is none, and the one in progress. */
async function requireBuilds(index: SearchIndex, vectors: TextVectors | null): Promise<Build[]> {
  const { current, building } = await index.builds();
  const first = current ?? building ?? (await index.beginBuild('current', vectors?.model ?? null));
  return building && building.id !== first.id ? [first, building] : [first];
}

function stateOf(file: IndexableFile, passages: readonly Passage[], { build, model }: Written) {
  const { filename: _, uploadTime, ...facts } = file;
  return {
    ...facts,
    speakers: speakersOf(passages),
    uploadTime: new Date(uploadTime),
    fingerprint: fingerprintOf(file),
    build: build.id,
    passages: passages.length,
    model,
    semantic: model !== null,
  };
}
