import { reindexLimits } from '@overtone/contracts';
import type { Db } from '../database.ts';
import type { SearchIndex } from '../ports/search-index.ts';
import type { FileRef, IndexableFile, Transcripts } from '../ports/transcripts.ts';
import { compareFiles, type Comparison, type IndexedFile } from './comparison.ts';

/** Which files: all, those of one owner, or these. */
export type FileScope =
  { kind: 'all' } | { kind: 'user'; userId: string } | { kind: 'files'; fileIds: readonly string[] };
type Deps = { db: Db; index: Pick<SearchIndex, 'builds' | 'countByFile'>; transcripts: Transcripts };
export type Compared = { comparison: Comparison; titles: ReadonlyMap<string, string> };
export type Consistency = ReturnType<typeof createConsistency>;

const pageSize = 500;
const concurrentReads = 8;
const stateColumns = {
  fileId: true,
  ownerId: true,
  title: true,
  transcriptVersion: true,
  passages: true,
  build: true,
  withheld: true,
  indexedAt: true,
  dueAt: true,
} as const;

/** Compares media's transcripts with what the database says about the index and with the index itself. */
export function createConsistency({ db, index, transcripts }: Deps) {
  const statesOf = (scope: FileScope): Promise<IndexedFile[]> =>
    db.indexState.findMany({
      where:
        scope.kind === 'user'
          ? { ownerId: scope.userId }
          : scope.kind === 'files'
            ? { fileId: { in: [...scope.fileIds] } }
            : {},
      select: stateColumns,
    });

  return {
    /** The files of the scope that are in the index or should be. */
    filesOf: async (scope: FileScope): Promise<string[]> => {
      const [states, files] = await Promise.all([statesOf(scope), transcribedOf(transcripts, scope)]);
      return [...new Set([...files, ...states].map(({ fileId }) => fileId))].sort();
    },
    /** @throws AppError unavailable when media or the index does not respond. */
    compare: async (scope: FileScope): Promise<Compared> => {
      // The index is read first: a file that is stored in between is then missing, which is harmless, and not extra.
      const { current, building } = await index.builds();
      const indexed = await index.countByFile();
      const states = await statesOf(scope);
      const transcribed = await transcribedOf(transcripts, scope);
      const known = new Set([...states, ...transcribed].map(({ fileId }) => fileId));
      const scoped = scope.kind === 'all' ? indexed : new Map([...indexed].filter(([fileId]) => known.has(fileId)));
      const builds = [current, building].flatMap((build) => build?.id ?? []);
      const comparison = compareFiles({ transcribed, states, indexed: scoped, builds });
      // The index does not know the titles of missing files.
      const missing = await readFiles(transcripts, comparison.missing.slice(0, reindexLimits.listed));
      return { comparison, titles: new Map([...states, ...missing].map(({ fileId, title }) => [fileId, title])) };
    },
  };
}

/** Every file with a transcript, in pages. */
export async function listTranscribed(transcripts: Pick<Transcripts, 'list'>): Promise<FileRef[]> {
  const files: FileRef[] = [];
  for (;;) {
    const page = await transcripts.list(files.at(-1)?.fileId ?? null, pageSize);
    files.push(...page);
    if (page.length < pageSize) return files;
  }
}

/** A comparison as an API object. */
export function describeComparison({ comparison, titles }: Compared) {
  const group = (ids: readonly string[]) => ({
    count: ids.length,
    files: ids
      .slice(0, reindexLimits.listed)
      .map((fileId) => ({ file_uuid: fileId, title: titles.get(fileId) || null })),
  });
  const { missing, stale, extra, waiting, unchanged } = comparison;
  return {
    total_files: Object.values(comparison).reduce((sum, ids) => sum + ids.length, 0),
    missing: group(missing),
    stale: group(stale),
    extra: group(extra),
    waiting_files: waiting.length,
    unchanged_files: unchanged.length,
  };
}

async function transcribedOf(transcripts: Transcripts, scope: FileScope): Promise<FileRef[]> {
  if (scope.kind === 'files') return readFiles(transcripts, scope.fileIds);
  const files = await listTranscribed(transcripts);
  return scope.kind === 'user' ? files.filter(({ ownerId }) => ownerId === scope.userId) : files;
}

async function readFiles(transcripts: Transcripts, fileIds: readonly string[]): Promise<IndexableFile[]> {
  const found: IndexableFile[] = [];
  for (let i = 0; i < fileIds.length; i += concurrentReads) {
    const files = await Promise.all(fileIds.slice(i, i + concurrentReads).map((id) => transcripts.file(id)));
    for (const file of files) if (file && file.transcriptVersion > 0) found.push(file);
  }
  return found;
}
