/** The part of the search server's query language that is asked for. */
export type Query = {
  term?: Record<string, unknown>;
  terms?: Record<string, unknown[]>;
  ids?: { values: string[] };
  range?: Record<string, { gte?: number; lte?: number }>;
  /** Of one text field. */
  match?: Record<string, { query: string; operator: 'or' }>;
  match_phrase?: { terms: string };
  bool?: { filter?: Query[]; must?: Query[]; should?: Query[]; minimum_should_match?: number };
};
export type Source = Record<string, unknown>;
export type Knn = { field: string; query_vector: number[]; k: number; filter?: Query[] };
export type Hit = { _id: string; _score: number; sort?: unknown[] };
/** Of one field each; `_shard_doc` is the order in which documents were written. */
export type Sort = Record<string, 'asc'>[];

/** BM25 over one text field, as Lucene counts it: documents without words in the field are left out. */
function fieldScorer(documents: ReadonlyMap<string, Source>, field: string) {
  const all = [...documents.values()].map((source) => wordsOf(source, field)).filter((words) => words.length > 0);
  const average = all.reduce((sum, words) => sum + words.length, 0) / Math.max(1, all.length);
  const rarity = (word: string): number => {
    const length = all.filter((words) => words.includes(word)).length;
    return Math.log(1 + (all.length - length + 0.5) / (length + 0.5));
  };
  const weight = (word: string, words: string[]): number => {
    const times = words.filter((other) => other === word).length;
    return (rarity(word) * times) / (times + 1.2 * (0.25 + (0.75 * words.length) / average));
  };
  return (query: string, source: Source): number | null => {
    const words = wordsOf(source, field);
    const score = query.split(' ').reduce((sum, word) => sum + (words.length > 0 ? weight(word, words) : 0), 0);
    return score > 0 ? score : null;
  };
}

/** Scores documents by a query; null: it does not fit. */
export function scorer(documents: ReadonlyMap<string, Source>): (query: Query, source: Source) => number | null {
  const fields = new Map<string, ReturnType<typeof fieldScorer>>();
  const words = (field: string, query: string, source: Source): number | null => {
    const scoreField = fields.get(field) ?? fieldScorer(documents, field);
    fields.set(field, scoreField);
    return scoreField(query, source);
  };
  const phrase = (query: string, source: Source): number | null =>
    ` ${wordsOf(source, 'terms').join(' ')} `.includes(` ${query} `) ? words('terms', query, source) : null;

  const bool = (
    { filter = [], must = [], should = [], minimum_should_match: least = 0 }: Query['bool'] & {},
    of: Source,
  ) => {
    if (filter.some((clause) => score(clause, of) === null)) return null;
    const needed = must.map((clause) => score(clause, of));
    const wanted = should.map((clause) => score(clause, of)).filter((points) => points !== null);
    if (needed.includes(null) || wanted.length < least) return null;
    return [...needed, ...wanted].reduce<number>((sum, item) => sum + (item ?? 0), 0);
  };
  const fits = (field: string, source: Source, test: (value: unknown) => boolean): number | null =>
    valuesOf(source, field).some(test) ? 1 : null;
  const score = (query: Query, source: Source): number | null => {
    const [[kind, about] = ['none', {}]] = Object.entries(query);
    const [field = '', value] = Object.entries(about as Record<string, unknown>)[0] ?? [];
    switch (kind) {
      case 'term':
        return fits(field, source, (found) => found === value);
      case 'terms':
        return fits(field, source, (found) => (value as unknown[]).includes(found));
      case 'range': {
        const { gte = -Infinity, lte = Infinity } = value as { gte?: number; lte?: number };
        return fits(field, source, (found) => typeof found === 'number' && found >= gte && found <= lte);
      }
      case 'match':
        return words(field, (value as { query: string }).query, source);
      case 'match_phrase':
        return phrase(value as string, source);
      case 'bool':
        return bool(query.bool ?? {}, source);
      default:
        throw new Error(`unknown query [${kind}]`);
    }
  };
  return score;
}

/** As Lucene scores a cosine. */
function nearness(left: number[], right: number[]): number {
  const dot = (x: number[], y: number[]): number => x.reduce((sum, item, i) => sum + item * (y[i] ?? 0), 0);
  return (1 + dot(left, right) / Math.sqrt(dot(left, left) * dot(right, right))) / 2;
}

type Search = { query?: Query; knn?: Knn; size?: number; sort?: Sort; search_after?: (string | number)[] };

/** The best documents, best first, or those after others in the order of `sort`. */
export function find(
  documents: ReadonlyMap<string, Source>,
  { query, knn, size = 10, sort, search_after: after }: Search,
): Hit[] {
  const score = scorer(documents);
  const scoreOf = (id: string, source: Source): number | null => {
    if (query?.ids) return query.ids.values.includes(id) ? 1 : null;
    if (!knn) return score(query ?? { bool: {} }, source);
    const vector = source[knn.field] as number[] | undefined;
    const passes = (knn.filter ?? []).every((clause) => score(clause, source) !== null);
    return vector && passes ? nearness(vector, knn.query_vector) : null;
  };
  const found = [...documents].flatMap(([_id, source], position): Hit[] => {
    const _score = scoreOf(_id, source);
    if (_score === null) return [];
    if (!sort) return [{ _id, _score }];
    return [
      { _id, _score, sort: sort.flatMap(Object.keys).map((key) => (key === '_shard_doc' ? position : source[key])) },
    ];
  });
  if (sort)
    return found
      .filter((hit) => !after || compare(hit.sort ?? [], after) > 0)
      .sort((left, right) => compare(left.sort ?? [], right.sort ?? []))
      .slice(0, size);
  return found.sort((left, right) => right._score - left._score).slice(0, Math.min(size, knn?.k ?? size));
}

function compare(left: readonly unknown[], right: readonly unknown[]): number {
  const at = left.findIndex((value, i) => value !== right[i]);
  if (at === -1) return 0;
  return (left[at] as string) < (right[at] as string) ? -1 : 1;
}

function wordsOf(source: Source, field: string): string[] {
  return ((source[field] as string | undefined) ?? '').split(' ').filter((word) => word !== '');
}

function valuesOf(source: Source, field: string): unknown[] {
  return [source[field]].flat();
}
