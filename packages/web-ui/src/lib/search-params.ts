/** Filters of the library and of the search page, kept in the address so that a view can be shared and reloaded. */
export type FilterSearch = {
  search?: string;
  ownership?: 'mine' | 'shared';
  status?: string[];
  tag?: string[];
  type?: string[];
  from?: string;
  to?: string;
  sort?: string;
  order?: 'asc' | 'desc';
  page?: number;
};
export type SearchPageSearch = {
  q?: string;
  mode?: 'keyword' | 'semantic';
  tag?: string[];
  speaker?: string[];
  type?: string[];
  from?: string;
  to?: string;
  sort?: string;
  page?: number;
};

type Raw = Record<string, unknown>;
const text = (value: unknown, max = 500): string | undefined => {
  const given = typeof value === 'number' ? String(value) : value;
  return typeof given === 'string' && given.trim() !== '' ? given.slice(0, max) : undefined;
};
const list = (value: unknown): string[] | undefined => {
  const items = (Array.isArray(value) ? value : [value]).flatMap((v) => text(v, 200) ?? []);
  return items.length > 0 ? items : undefined;
};
const day = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : undefined;
const oneOf = <T extends string>(value: unknown, allowed: readonly T[]): T | undefined =>
  allowed.find((one) => one === value);
const page = (value: unknown): number | undefined => {
  const n = Number(value);
  return Number.isInteger(n) && n > 1 && n <= 1_000_000 ? n : undefined;
};
/** Drops what is not set, so that the address stays short. */
const compact = <T extends Raw>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, v]) => v !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };

export const librarySorts = ['upload_time', 'completed_at', 'title', 'duration', 'file_size'] as const;
export const searchSorts = ['relevance', 'upload_time', 'title', 'duration'] as const;

export const filterSearch = (raw: Raw): FilterSearch =>
  compact({
    search: text(raw['search'], 200),
    ownership: oneOf(raw['ownership'], ['mine', 'shared']),
    status: list(raw['status']),
    tag: list(raw['tag']),
    type: list(raw['type']),
    from: day(raw['from']),
    to: day(raw['to']),
    sort: oneOf(raw['sort'], librarySorts),
    order: oneOf(raw['order'], ['asc', 'desc']),
    page: page(raw['page']),
  });

export const searchPageSearch = (raw: Raw): SearchPageSearch =>
  compact({
    q: text(raw['q']),
    mode: oneOf(raw['mode'], ['keyword', 'semantic']),
    tag: list(raw['tag']),
    speaker: list(raw['speaker']),
    type: list(raw['type']),
    from: day(raw['from']),
    to: day(raw['to']),
    sort: oneOf(raw['sort'], searchSorts),
    page: page(raw['page']),
  });

/** Filters that a page reads by itself: texts by name, nothing else. */
export const textSearch = (raw: Raw): Record<string, string> =>
  Object.fromEntries(
    Object.entries(raw).flatMap(([name, value]) =>
      text(value) === undefined ? [] : [[name, text(value, 4096) as string]],
    ),
  );
