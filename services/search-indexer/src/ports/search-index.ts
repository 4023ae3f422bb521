import type { Layout } from '../chunking/chunking.ts';
import type { Hit } from '../ranking/ranking.ts';

/** What search shows of a passage or card: kept in one piece, because every column fetched costs a search time. */
export type Shown = {
  id: string;
  text: string;
  /** Seconds. */
  end: number;
  /** null: nobody speaks (cards). */
  layout: Layout | null;
};

/**
 * A row of the index: a passage of a transcript (found by its words), a window of one (found by its meaning), or the
 * card of a file (its title, tags and speakers).
 */
export type IndexRow = {
  /** See `rowIdOf`. */
  id: string;
  fileId: string;
  ownerId: string;
  kind: 'passage' | 'window' | 'card';
  /** Stems divided by blanks; the engines index these and analyse nothing themselves. Empty in windows. */
  terms: string;
  /** Keys of those who speak in it, see `filterKey`. */
  speakers: string[];
  tags: string[];
  /** Epoch milliseconds. */
  uploaded: number;
  duration: number | null;
  media: 'audio' | 'video';
  /** What is shown of it when it is found; windows are shown by their passage. */
  shown: Shown | null;
  vector: Float32Array | null;
};

/** Which rows may be seen and are wanted. Both legs get the same. */
export type IndexFilter = {
  /** null: every owner's (administrators). */
  ownerId: string | null;
  /** Files that may be seen besides that owner's. */
  sharedIds: readonly string[];
  speakers: readonly string[];
  tags: readonly string[];
  media: readonly ('audio' | 'video')[];
  uploadedFrom: number | null;
  uploadedTo: number | null;
  minDuration: number | null;
  maxDuration: number | null;
};

/** Stems to look for. Without words and phrases every row that passes the filter is found. */
export type KeywordQuery = {
  /** At least one of them, unless there are phrases; more and rarer ones score higher. */
  words: readonly string[];
  /** All of them; each is a list of alternatives, stems divided by blanks. */
  phrases: readonly (readonly string[])[];
};

export type LegResult =
  | { status: 'ok'; hits: Hit[] }
  | { status: 'failed'; error: unknown }
  /** Not asked, or nothing to ask: rows without vectors. */
  | { status: 'not_asked' };
export type SearchRequest = {
  keyword: KeywordQuery | null;
  /** Still on its way when the words are looked for; null: no leg by meaning. Never rejects. */
  vector: Promise<Float32Array | null>;
  filter: IndexFilter;
  keywordLimit: number;
  semanticLimit: number;
};

export type VectorModel = { name: string; dim: number };
/** One build of the index. All its vectors come from one model. */
export type Build = { id: string; model: VectorModel | null };
export type Builds = {
  /** The one that is searched; null: there is none yet. */
  current: Build | null;
  /** The one that is being made to take its place. */
  building: Build | null;
  /** When the current one took over from an earlier one. */
  completedAt: string | null;
};

/** Where passages are kept and found. One embedded adapter (LanceDB), one for a server (Elasticsearch). */
export type SearchIndex = {
  readonly backend: 'lancedb' | 'elasticsearch';
  builds: () => Promise<Builds>;
  /** Starts a build: as the current one when there is none, else beside it. Returns the one under way if there is one. */
  beginBuild: (model: VectorModel | null, asCurrent: boolean) => Promise<Build>;
  /** The build under way takes over and the earlier one is removed. */
  promote: () => Promise<void>;
  /**
   * Puts a file's rows in place of its earlier ones; a reader sees either the old or the new. A build without a model
   * takes that of the first vectors.
   */
  replaceFile: (build: string, fileId: string, rows: readonly IndexRow[], model: VectorModel | null) => Promise<void>;
  /** Removes a file from every build. */
  removeFile: (fileId: string) => Promise<void>;
  /** Both legs at once on the current build. A leg that fails says so and does not take the other along. */
  search: (request: SearchRequest) => Promise<{ keyword: LegResult; semantic: LegResult }>;
  passages: (ids: readonly string[]) => Promise<Shown[]>;
  /** Rows of the current build. */
  size: () => Promise<number>;
  /** Housekeeping; called now and then, does nothing when nothing is to do. */
  maintain: () => Promise<void>;
  ping: () => Promise<void>;
  close: () => Promise<void>;
};

/**
 * A row's id says whose it is and which, so that a search need not fetch it: `<file>:<n>` is a passage,
 * `<file>:<n>@<token>` the window of it that begins there, `<file>:-1` the card.
 */
export const rowIdOf = (fileId: string, n: number | 'card', token?: number): string =>
  `${fileId}:${n === 'card' ? -1 : n}${token === undefined ? '' : `@${token}`}`;
export const isCard = (id: string): boolean => id.endsWith(':-1');
/** A found row as a hit on its passage. */
export const hitOf = (id: string, score: number): Hit => {
  const [passage = id, token] = id.split('@');
  return { id: passage, fileId: id.slice(0, 36), score, ...(token === undefined ? {} : { token: Number(token) }) };
};

/** Names are compared without regard to case. */
export const filterKey = (name: string): string => name.trim().toLowerCase();

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** The last gate before a query language: an id is an id or nothing. */
export const checkedId = (id: string): string => {
  if (!uuid.test(id)) throw new TypeError('not an id');
  return id;
};
const rowId = /^[0-9a-f-]{36}:-?\d{1,7}$/;
export const checkedRowId = (id: string): string => {
  if (!rowId.test(id)) throw new TypeError('not a row id');
  return id;
};
