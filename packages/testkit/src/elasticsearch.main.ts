import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { find, type Knn, type Query, type Sort, type Source } from './elasticsearch-queries.ts';

type Mappings = { _meta: Record<string, unknown>; properties: Record<string, { type: string; dims?: number }> };
/** What was written, and what of it a search sees since the last refresh. */
type Index = {
  mappings: Mappings;
  created: number;
  aliases: Set<string>;
  documents: Map<string, Source>;
  seen: Map<string, Source>;
};
type Body = Record<string, unknown>;
type Composite = {
  size: number;
  sources: Record<string, { terms: { field: string } }>[];
  after?: Record<string, string>;
};
/** Buckets by one field, each with the number of documents that pass a filter. */
type Aggregation = { composite: Composite; aggs: Record<string, { filter: Query }> };
type Search = {
  query?: Query;
  knn?: Knn;
  size?: number;
  sort?: Sort;
  search_after?: (string | number)[];
  fields?: string[];
  pit?: { id: string };
  aggs?: Record<string, Aggregation>;
};

class Refused extends Error {
  readonly status: number;
  readonly type: string;
  constructor(status: number, type: string, reason = type) {
    super(reason);
    this.status = status;
    this.type = type;
  }
}

const indices = new Map<string, Index>();
/** What was visible when a point in time was opened. */
const points = new Map<string, Map<string, Source>>();

function named(name: string): [string, Index] {
  const found = [...indices].find(([own, index]) => own === name || index.aliases.has(name));
  if (!found) throw new Refused(404, 'index_not_found_exception', `no such index [${name}]`);
  return found;
}

function create(name: string, { mappings, aliases = {} }: { mappings?: Mappings; aliases?: Body }): Body {
  if (indices.has(name)) throw new Refused(400, 'resource_already_exists_exception');
  indices.set(name, {
    mappings: mappings ?? { _meta: {}, properties: {} },
    // Later than that of any other, as on a server, where an index takes longer than a millisecond.
    created: Math.max(Date.now(), ...[...indices.values()].map((other) => other.created + 1)),
    aliases: new Set(Object.keys(aliases)),
    documents: new Map(),
    seen: new Map(),
  });
  return { acknowledged: true, index: name };
}

/** A pattern may match nothing; a name must exist. An alias may name several indices. */
function describe(name: string): Body {
  const matching = [...indices].filter(([own, { aliases }]) =>
    name.endsWith('*') ? own.startsWith(name.slice(0, -1)) : own === name || aliases.has(name),
  );
  if (matching.length === 0 && !name.endsWith('*')) named(name);
  return Object.assign({}, ...matching.map(describeIndex)) as Body;
}

function describeIndex([own, { mappings, created, aliases }]: [string, Index]): Body {
  const settings = { index: { creation_date: String(created) } };
  return { [own]: { aliases: Object.fromEntries([...aliases].map((alias) => [alias, {}])), mappings, settings } };
}

type Action = {
  add?: { index: string; alias: string };
  remove?: { index: string; alias: string };
  remove_index?: { index: string };
};

function swap(actions: readonly Action[]): Body {
  // All or nothing: what is not there is found before anything is changed.
  for (const { add, remove, remove_index: gone } of actions) named((add ?? remove ?? gone)?.index ?? '');
  for (const { add, remove, remove_index: gone } of actions) {
    if (add) named(add.index)[1].aliases.add(add.alias);
    if (remove) named(remove.index)[1].aliases.delete(remove.alias);
    if (gone) indices.delete(gone.index);
  }
  return { acknowledged: true };
}

/** As `dynamic: strict` and the type of vectors refuse documents. */
function faultOf({ mappings: { properties } }: Index, source: Source): Body | undefined {
  const unknown = Object.keys(source).find((field) => !(field in properties));
  if (unknown) return { type: 'strict_dynamic_mapping_exception', reason: `[${unknown}] is not allowed` };
  const wrong = Object.entries(properties).find(
    ([field, { dims }]) => dims !== undefined && field in source && (source[field] as number[]).length !== dims,
  );
  return wrong && { type: 'document_parsing_exception', reason: `[${wrong[0]}] has another number of dimensions` };
}

function bulk(index: Index, lines: readonly Body[]): Body {
  const items: Body[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] as { index?: { _id: string }; delete?: { _id: string } };
    if (line.delete) {
      const there = index.documents.delete(line.delete._id);
      items.push({ delete: { _id: line.delete._id, status: there ? 200 : 404 } });
      continue;
    }
    at += 1;
    const source = lines[at] as Source;
    const error = faultOf(index, source);
    const _id = line.index?._id ?? '';
    if (!error) index.documents.set(_id, source);
    items.push({ index: { _id, status: error ? 400 : 201, ...(error ? { error } : {}) } });
  }
  return { took: 1, errors: items.some((i) => (i['index'] as Body | undefined)?.['error']), items };
}

function search(documents: Map<string, Source>, asked: Search): Body {
  // As vectors are left out of the stored document.
  const hits = find(documents, asked).map((hit) => {
    const { vector: _, embedding: __, ...source } = documents.get(hit._id) ?? {};
    const fields = Object.fromEntries((asked.fields ?? []).map((name) => [name, documents.get(hit._id)?.[name]]));
    return { ...hit, _source: source, fields };
  });
  const aggregations = Object.entries(asked.aggs ?? {}).map(([name, of]) => [name, aggregate(documents, asked, of)]);
  const counted = aggregations.length > 0 ? { aggregations: Object.fromEntries(aggregations) as Body } : {};
  return { took: 1, _shards: { failed: 0 }, hits: { hits }, ...counted };
}

function aggregate(all: Map<string, Source>, { query }: Search, { composite, aggs }: Aggregation): Body {
  const [[name, source] = ['', { terms: { field: '' } }]] = Object.entries(composite.sources[0] ?? {});
  const matching = find(all, { ...(query ? { query } : {}), size: Infinity }).map(({ _id }) => _id);
  const groups = Map.groupBy(matching, (id) => String(all.get(id)?.[source.terms.field]));
  const after = composite.after?.[name] ?? '';
  const buckets = [...groups]
    .filter(([key]) => key > after)
    .sort(([x], [y]) => (x < y ? -1 : 1))
    .slice(0, composite.size)
    .map(([key, ids]) => {
      const documents = new Map(ids.map((id) => [id, all.get(id) as Source]));
      const counted = Object.entries(aggs).map(([of, { filter }]) => [
        of,
        { doc_count: find(documents, { query: filter, size: Infinity }).length },
      ]);
      return { key: { [name]: key }, doc_count: ids.length, ...(Object.fromEntries(counted) as Body) };
    });
  const last = buckets.at(-1);
  return { buckets, ...(last ? { after_key: last.key } : {}) };
}

type Asked = { method: string; name: string; verb: string; query: URLSearchParams; body: Body; lines: Body[] };

function answer({ method, name, verb, query, body, lines }: Asked): Body {
  if (name === '') return { name: 'search-server', version: { number: '9.0.0' }, tagline: 'You Know, for Search' };
  if (name === '_aliases') return swap(body['actions'] as Action[]);
  if (verb === '' && method === 'PUT') return create(name, body);
  if (name === '_pit') return { succeeded: points.delete(String(body['id'])) };
  if (name === '_search') {
    const { id = '' } = (body as Search).pit ?? {};
    const documents = points.get(id);
    if (!documents) throw new Refused(404, 'search_context_missing_exception');
    return { pit_id: id, ...search(documents, body) };
  }
  if (verb === '' && ['GET', 'HEAD'].includes(method)) return describe(name);
  if (verb === '' && method === 'DELETE') {
    // As action.destructive_requires_name demands, neither a pattern nor an alias.
    if (!indices.delete(name) && !query.has('ignore_unavailable'))
      throw new Refused(404, 'index_not_found_exception', `no such index [${name}]`);
    return { acknowledged: true };
  }
  const [, index] = named(name);
  switch (verb) {
    case '_mapping':
      Object.assign(index.mappings._meta, body['_meta']);
      Object.assign(index.mappings.properties, body['properties']);
      return { acknowledged: true };
    case '_bulk':
      return bulk(index, lines);
    case '_refresh':
      index.seen = new Map(index.documents);
      return { _shards: { failed: 0 } };
    case '_pit': {
      const id = `${name}-${points.size}-${randomUUID()}`;
      points.set(id, new Map(index.seen));
      return { id };
    }
    case '_search':
      return search(index.seen, body);
    case '_msearch':
      return { took: 1, responses: lines.filter((_, i) => i % 2 === 1).map((asked) => search(index.seen, asked)) };
    case '_mget':
      return {
        docs: (body['ids'] as string[]).map((_id) => {
          const _source = index.documents.get(_id);
          return { _index: name, _id, found: _source !== undefined, ...(_source ? { _source } : {}) };
        }),
      };
    case '_count':
      return { count: find(index.seen, { ...body, size: Infinity }).length };
    default:
      throw new Refused(400, 'illegal_argument_exception', `not known: ${method} ${verb}`);
  }
}

function parse(text: string, type: string): Pick<Asked, 'body' | 'lines'> {
  return type.includes('ndjson')
    ? {
        body: {},
        lines: text
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as Body),
      }
    : { body: text === '' ? {} : (JSON.parse(text) as Body), lines: [] };
}

createServer((req, res) => {
  let text = '';
  req.setEncoding('utf8').on('data', (part: string) => (text += part));
  req.on('end', () => {
    const url = new URL(req.url ?? '/', 'http://server');
    const [name = '', verb = ''] = decodeURIComponent(url.pathname).slice(1).split('/');
    const say = (status: number, body: Body): void => {
      res.writeHead(status, { 'content-type': 'application/json', 'x-elastic-product': 'Elasticsearch' });
      res.end(req.method === 'HEAD' ? undefined : JSON.stringify(body));
    };
    try {
      const asked = { method: req.method ?? '', name, verb, query: url.searchParams };
      say(200, answer({ ...asked, ...parse(text, req.headers['content-type'] ?? '') }));
    } catch (error) {
      const { status = 500, type = 'exception' } = error as Partial<Refused>;
      say(status, { error: { type, reason: (error as Error).message }, status });
    }
  });
}).listen(Number(process.argv[2]), '127.0.0.1');
