import { startOf } from './characters.ts';

/** Filters of the library and of the search page. They are part of the address, so that a view can be shared and reloaded. */
export type FilterSearch = {
  search?: string;
  ownership?: 'mine' | 'shared';
  status?: string[];
  tag?: string[];
  type?: string[];
  collection?: string;
  /** What the dates mean; absent: the upload. */
  dateOf?: 'recording';
  from?: string;
  to?: string;
  sort?: string;
  order?: 'asc' | 'desc';
  page?: number;
};
export type SearchPageSearch = {
  q?: string;
  /** What is searched; absent: transcripts. */
  in?: 'comments';
  /** Of comments: whether they are resolved, and who wrote them. */
  state?: 'open' | 'resolved';
  by?: 'me';
  mode?: 'keyword' | 'semantic';
  tag?: string[];
  speaker?: string[];
  type?: string[];
  collection?: string;
  from?: string;
  to?: string;
  sort?: string;
  /** Unknown words are searched as they are. */
  exact?: true;
  page?: number;
};

/** The shown conversation, or what a new one is about. */
export type AskSearch = { conversation?: string; collection?: string; page?: number };

export const speakersTabs = ['suggestions', 'unnamed', 'profiles'] as const;
export type SpeakersSearch = { tab?: (typeof speakersTabs)[number] };

/** Where a recording is opened: at a second, playing, with a text to find. */
export type FileSearch = { t?: number; play?: true; q?: string };

type Raw = Record<string, unknown>;

/** Reads an address. Every value is a text, so that `?q="two words"` and `?q=5` are searched as they are written. */
export function parseSearch(search: string): Raw {
  const values = Map.groupBy(new URLSearchParams(search), ([name]) => name);
  return Object.fromEntries(
    [...values].map(([name, found]) => [name, found.length === 1 ? found[0]?.[1] : found.map(([, value]) => value)]),
  );
}

export function stringifySearch(search: Raw): string {
  const params = new URLSearchParams(
    Object.entries(search).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === 'string' ? value : JSON.stringify(value)]],
    ),
  ).toString();
  return params === '' ? '' : `?${params}`;
}

/** The router merges what was validated into what the address contains: everything else is overwritten here. */
export function only<T extends object>(validate: (raw: Raw) => T): (raw: Raw) => T {
  return (raw) => ({ ...Object.fromEntries(Object.keys(raw).map((name) => [name, undefined])), ...validate(raw) });
}

export const librarySorts = ['upload_time', 'recorded_date', 'completed_at', 'title', 'duration', 'file_size'] as const;
export const searchSorts = ['relevance', 'upload_time', 'title', 'duration'] as const;

export function filterSearch(raw: Raw): FilterSearch {
  return compact({
    search: text(raw['search'], 200),
    ownership: oneOf(raw['ownership'], ['mine', 'shared']),
    status: list(raw['status']),
    tag: list(raw['tag']),
    type: list(raw['type']),
    collection: uuid(raw['collection']),
    dateOf: oneOf(raw['dateOf'], ['recording']),
    from: day(raw['from']),
    to: day(raw['to']),
    sort: oneOf(raw['sort'], librarySorts),
    order: oneOf(raw['order'], ['asc', 'desc']),
    page: page(raw['page']),
  });
}

export function searchPageSearch(raw: Raw): SearchPageSearch {
  if (raw['in'] === 'comments')
    return compact({
      q: text(raw['q']),
      in: 'comments' as const,
      state: oneOf(raw['state'], ['open', 'resolved']),
      by: oneOf(raw['by'], ['me']),
      page: page(raw['page']),
    });
  return compact({
    q: text(raw['q']),
    mode: oneOf(raw['mode'], ['keyword', 'semantic']),
    tag: list(raw['tag']),
    speaker: list(raw['speaker']),
    type: list(raw['type']),
    collection: uuid(raw['collection']),
    from: day(raw['from']),
    to: day(raw['to']),
    sort: oneOf(raw['sort'], searchSorts),
    exact: flag(raw['exact']),
    page: page(raw['page']),
  });
}

export function speakersSearch(raw: Raw): SpeakersSearch {
  return compact({ tab: oneOf(raw['tab'], speakersTabs) });
}

export function fileSearch(raw: Raw): FileSearch {
  return compact({ t: seconds(raw['t']), play: flag(raw['play']), q: text(raw['q']) });
}

/** The page of a recording scrolls to the passage of such an address itself: nothing else may scroll it afterwards. */
export function leadsToPassage(search: object): boolean {
  return 't' in search && search.t !== undefined;
}

/** Filters without a schema: texts by name. */
export function askSearch(raw: Raw): AskSearch {
  return compact({
    conversation: uuid(raw['conversation']),
    collection: uuid(raw['collection']),
    page: page(raw['page']),
  });
}

export function textSearch(raw: Raw): Record<string, string> {
  return Object.fromEntries(
    Object.entries(raw).flatMap(([name, value]) =>
      text(value) === undefined ? [] : [[name, text(value, 4096) as string]],
    ),
  );
}

function page(value: unknown): number | undefined {
  const number = Number(value);
  return Number.isInteger(number) && number > 1 && number <= 1_000_000 ? number : undefined;
}

/** Removes unset values, so that the address stays short. */
function compact<T extends Raw>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, field]) => field !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

function flag(value: unknown): true | undefined {
  return ['true', '1'].includes(String(value)) ? true : undefined;
}

function seconds(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? number : undefined;
}

function text(value: unknown, max = 500): string | undefined {
  const raw = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  return typeof raw === 'string' && raw.trim() !== '' ? startOf(raw, max) : undefined;
}

function oneOf<T extends string>(value: unknown, allowed: readonly T[]): T | undefined {
  return allowed.find((item) => item === value);
}

function list(value: unknown): string[] | undefined {
  const items = itemsOf(value).flatMap((item) => text(item, 200) ?? []);
  return items.length > 0 ? items : undefined;
}

/** The items of a list, which an address contains as JSON; anything else is one item. */
function itemsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string' || !value.startsWith('[')) return [value];
  try {
    const parsed: unknown = JSON.parse(value);
    return Array.isArray(parsed) ? parsed : [value];
  } catch {
    return [value];
  }
}

function uuid(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(value) ? value : undefined;
}

function day(value: unknown): string | undefined {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : undefined;
}
