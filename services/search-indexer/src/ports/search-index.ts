import { randomBytes } from 'node:crypto';
import type { Layout } from '../chunking/chunking.ts';

/** The displayed data of a passage or card; one column, because every fetched column slows a search down. */
export type Shown = {
  id: string;
  text: string;
  /** Seconds. */
  end: number;
  /** null for cards. */
  layout: Layout | null;
};

/**
 * A row of the index: a passage of a transcript (keyword leg), a window of a passage (semantic leg), the card of a file
 * (its title, file name, tags and speakers), a section of its transcript, or the whole file. Sections and whole files rank the files;
 * their terms have columns of their own, because BM25 compares texts of similar length.
 */
export type IndexRow = {
  /** See `rowIdOf`. */
  id: string;
  fileId: string;
  ownerId: string;
  kind: 'passage' | 'window' | 'card' | 'section' | 'file';
  /** Stems separated by spaces; the engines index them without further analysis. Empty except in passages and cards. */
  terms: string;
  /** The same of a section; null in other rows. */
  sectionTerms: string | null;
  /** A digest of the whole file in stems; null in other rows. */
  fileTerms: string | null;
  /** Keys of the speakers, see `filterKey`. */
  speakers: string[];
  tags: string[];
  /** Epoch milliseconds. */
  uploaded: number;
  duration: number | null;
  media: 'audio' | 'video';
  /** null in all rows except passages and cards. */
  shown: Shown | null;
  vector: Float32Array | null;
};

/** Access and search filters; the same for both legs. */
export type IndexFilter = {
  /** null: every owner's (administrators). */
  ownerId: string | null;
  /** Visible files of other owners. */
  sharedIds: readonly string[];
  /** Only these files; null: all. */
  fileIds: readonly string[] | null;
  excludedFileIds: readonly string[];
  speakers: readonly string[];
  tags: readonly string[];
  excludedTags: readonly string[];
  media: readonly ('audio' | 'video')[];
  uploadedFrom: number | null;
  uploadedTo: number | null;
  minDuration: number | null;
  maxDuration: number | null;
};

/** No search filters, only access. */
export const noFilter: Omit<IndexFilter, 'ownerId' | 'sharedIds'> = {
  fileIds: null,
  excludedFileIds: [],
  speakers: [],
  tags: [],
  excludedTags: [],
  media: [],
  uploadedFrom: null,
  uploadedTo: null,
  minDuration: null,
  maxDuration: null,
};

/** Stems to search for. Without words and phrases all passages and files that pass the filter match. */
export type KeywordQuery = {
  /** At least one must match, unless there are phrases; more and rarer ones score higher. */
  words: readonly string[];
  /** All must match; each is a list of alternatives, stems separated by spaces. */
  phrases: readonly (readonly string[])[];
};

/** A hit of one leg. `score` is the leg's own: BM25 or cosine similarity. */
export type Hit = {
  id: string;
  fileId: string;
  score: number;
  /** Index of the token in the passage, if the leg knows it. */
  token?: number;
};
export type LegResult =
  | { status: 'ok'; hits: Hit[] }
  | { status: 'failed'; error: unknown }
  /** The leg was not run, or the build has no vectors. */
  | { status: 'not_asked' };
/**
 * Hits of the keyword leg: passages and cards, sections, and whole files. A query with phrases finds passages and cards, but
 * no sections and files.
 */
export type KeywordHits = { hits: Hit[]; sections: Hit[]; files: Hit[] };
export type KeywordResult = ({ status: 'ok' } & KeywordHits) | Exclude<LegResult, { status: 'ok' }>;
export type SearchResult = { keyword: KeywordResult; semantic: LegResult };
/** The vector of a query; `model`: the name of its model. Only a build of the same model is searched with it. */
export type QueryVector = { model: string; values: Float32Array };
export type SearchRequest = {
  keyword: KeywordQuery | null;
  /** Pending while the keyword leg runs; resolves to null without a semantic leg; never rejects. */
  vector: Promise<QueryVector | null>;
  filter: IndexFilter;
  /** Maximum passages of the keyword leg. */
  keywordLimit: number;
  /** Maximum sections and whole files of the keyword leg; 0: they are not searched. */
  sectionLimit: number;
  fileLimit: number;
  semanticLimit: number;
};

export type VectorModel = { name: string; dim: number };
/** One build of the index. All its vectors come from one model. */
export type Build = { id: string; model: VectorModel | null };
export type BuildRole = 'current' | 'building';
export type Builds = {
  /** The build that is searched; null before the first one. */
  current: Build | null;
  /** The build in progress that will replace it. */
  building: Build | null;
  /** When the current build replaced an earlier one. */
  completedAt: string | null;
};

/** The result of a search before the first build: no hits in the requested legs. */
export async function searchNothing({ keyword, vector }: SearchRequest): Promise<SearchResult> {
  return {
    keyword: keyword ? { status: 'ok', hits: [], sections: [], files: [] } : { status: 'not_asked' },
    semantic: (await vector) ? { status: 'ok', hits: [] } : { status: 'not_asked' },
  };
}

/**
 * Version of the content of rows. Each engine adds the version of its own columns: a build with another sum counts as lost
 * and is made again. Only ever increased.
 */
export const rowVersion = 5;

/** Stores and searches passages. Adapters: embedded (LanceDB) and server (Elasticsearch). */
export type SearchIndex = {
  readonly backend: 'lancedb' | 'elasticsearch';
  builds: () => Promise<Builds>;
  /** Starts a build, as the current one or next to it. Returns the existing one if there is one. */
  beginBuild: (role: BuildRole, model: VectorModel | null) => Promise<Build>;
  /** Replaces the current build by the one in progress and removes the old one. */
  promote: () => Promise<void>;
  /** Removes the build in progress, if there is one; the current build stays. */
  discardBuild: () => Promise<void>;
  /**
   * Replaces a file's rows atomically for readers. A build without a model takes the model of the first vectors.
   */
  replaceFile: (build: string, fileId: string, rows: readonly IndexRow[], model: VectorModel | null) => Promise<void>;
  /** Removes a file from every build. */
  removeFile: (fileId: string) => Promise<void>;
  /** Runs both legs on the current build. The failure of one leg is reported and does not affect the other. */
  search: (request: SearchRequest) => Promise<SearchResult>;
  passages: (ids: readonly string[]) => Promise<Shown[]>;
  /** The number of passages of each file in the current build; a file without speech counts 0. */
  countByFile: () => Promise<Map<string, number>>;
  /** Passages of the current build. */
  countPassages: () => Promise<number>;
  /** Periodic maintenance; does nothing when none is due. It may be ended at any time, and is then due again. */
  maintain: (signal?: AbortSignal) => Promise<void>;
  /** Removes from the files of the index what was removed from the index. Searches go on. */
  purge: (signal?: AbortSignal) => Promise<void>;
  ping: () => Promise<void>;
  close: () => Promise<void>;
};

export function newBuildId(): string {
  return Date.now().toString(36) + randomBytes(3).toString('hex');
}

/**
 * A row id contains file and position, so that a search need not fetch more columns: `<file>:<n>` is a passage,
 * `<file>:<n>@<token>` a window of it, `<file>:-1` the card. Sections and whole files have ids of their own.
 */
export function rowIdOf(fileId: string, position: number | 'card', token?: number): string {
  return `${fileId}:${position === 'card' ? -1 : position}${token === undefined ? '' : `@${token}`}`;
}

export function sectionIdOf(fileId: string, index: number): string {
  return `${fileId}/section${index}`;
}

export function fileRowIdOf(fileId: string): string {
  return `${fileId}/file`;
}

export function fileIdOf(rowId: string): string {
  return rowId.slice(0, 36);
}

/** The position of a passage in its file. */
export function positionOf(rowId: string): number {
  return Number(rowId.slice(37));
}

export function isCard(id: string): boolean {
  return id.endsWith(':-1');
}

/** Converts a found row to a hit on its passage. */
export function hitOf(id: string, score: number): Hit {
  const [passage = id, token] = id.split('@');
  return { id: passage, fileId: fileIdOf(id), score, ...(token === undefined ? {} : { token: Number(token) }) };
}

/** Names are compared case-insensitively. */
export function filterKey(name: string): string {
  return name.trim().toLowerCase();
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Guards against injection into a query language. @throws TypeError for anything but an id. */
export function checkedId(id: string): string {
  if (!uuid.test(id)) throw new TypeError('not an id');
  return id;
}

const rowId = /^[0-9a-f-]{36}:-?\d{1,7}$/;

export function checkedRowId(id: string): string {
  if (!rowId.test(id)) throw new TypeError('not a row id');
  return id;
}

/** A reindex may replace the current build while a query waits for its vector: that query has no semantic leg. */
export function unusableVector(build: Build, { model }: QueryVector): LegResult | null {
  if (build.model === null) return { status: 'not_asked' };
  if (build.model.name === model) return null;
  return {
    status: 'failed',
    error: new Error(`the vector is of the model ${model}, the index of ${build.model.name}`),
  };
}
