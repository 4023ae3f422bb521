import * as fc from 'fast-check';
import type { Arbitrary } from 'fast-check';
import { hostileText, valueOf, type Resolve, type Schema } from './values.ts';

export type Parameter = { name: string; in: 'path' | 'query'; required?: boolean; schema: Schema };
export type Operation = {
  'x-required-role'?: string;
  parameters?: Parameter[];
  requestBody?: { content: Record<string, { schema: Schema }> };
};
export type FuzzRequest = { path: string; headers: Record<string, string>; body: Buffer | undefined };
type Things = Record<string, string>;

/** The resource of a path parameter, by the preceding segment; the fixtures contain one of each. */
const resourceOf: Record<string, string> = {
  files: 'file',
  tus: 'upload',
  shares: 'share',
  segments: 'segment',
  speakers: 'speaker',
  merge: 'otherSpeaker',
  groups: 'group',
  members: 'owner',
  users: 'bystander',
  'user-approvals': 'bystander',
  sessions: 'session',
  'group-mappings': 'mapping',
  passes: 'pass',
  tasks: 'task',
};

/** Requests for one operation: mostly valid and with existing ids, so that handlers run and not only parsers. */
export function requestOf(
  template: string,
  method: string,
  operation: Operation,
  resolve: Resolve,
  things: Things,
): Arbitrary<FuzzRequest> {
  const uuids = Object.values(things);
  const parameters = operation.parameters ?? [];
  const path = pathOf(template, parameters, resolve, things);
  const query = queryOf(
    parameters.filter((parameter) => parameter.in === 'query'),
    resolve,
    uuids,
  );
  const content = method === 'get' || method === 'head' ? unspecifiedBody : bodyOf(operation, resolve, uuids);
  return fc
    .record({ path, query, content, headers: strangeHeaders })
    .map(({ path: at, query: search, content: { type, body }, headers }) => ({
      path: search === '' ? at : `${at}?${search}`,
      headers: { ...headers, ...(type === undefined ? {} : { 'content-type': type }) },
      body,
    }));
}

function pathOf(template: string, parameters: Parameter[], resolve: Resolve, things: Things): Arbitrary<string> {
  const segments = template.split('/').map((segment, i, all): Arbitrary<string> => {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1];
    if (name === undefined) return fc.constant(segment);
    const schema = parameters.find((parameter) => parameter.in === 'path' && parameter.name === name)?.schema ?? {};
    const known = things[resourceOf[all[i - 1] ?? ''] ?? ''];
    return fc.oneof(
      { weight: known ? 6 : 0, arbitrary: fc.constant(known ?? '') },
      { weight: 2, arbitrary: valueOf(schema, resolve, Object.values(things)).map(asSegment) },
      { weight: 1, arbitrary: hostileText.map(asSegment) },
    );
  });
  return fc.tuple(...segments).map((parts) => parts.join('/'));
}

/** Replaces an empty segment or one of dots, because it would address another path. */
function asSegment(value: unknown): string {
  const text = escaped(typeof value === 'string' ? value : JSON.stringify(value));
  return /^\.{0,2}$/.test(text) ? 'none' : text.slice(0, 2_000);
}

/** Percent-encodes a text; half a surrogate pair becomes the invalid octets of a simple encoder. */
function escaped(text: string): string {
  return Array.from(text)
    .map((character) =>
      character.isWellFormed() ? encodeURIComponent(character) : `%ED%${character < '\uDC00' ? 'A0' : 'B0'}%80`,
    )
    .join('');
}

function queryOf(parameters: Parameter[], resolve: Resolve, uuids: readonly string[]): Arbitrary<string> {
  const given = parameters.map(({ name, required, schema }) =>
    fc.tuple(fc.integer({ min: 0, max: 9 }), valueOf(schema, resolve, uuids)).map(([chance, value]) => {
      if (chance > (required ? 8 : 4)) return [];
      return [value]
        .flat()
        .slice(0, 5)
        .map(
          (value) => `${name}=${escaped(typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 6_000)}`,
        );
    }),
  );
  const unknown = fc.tuple(hostileText, hostileText).map(([key, value]) => [`${escaped(key)}=${escaped(value)}`]);
  const raw = fc.constantFrom('%', '%ff', 'q=%C0%80', '&&', '=', 'page=1&page=2', '[]=1', 'a[b]=1');
  const extra = fc.oneof(
    { weight: 8, arbitrary: fc.constant<string[]>([]) },
    unknown,
    raw.map((row) => [row]),
  );
  return fc.tuple(extra, ...given).map((parts) => parts.flat().join('&'));
}

const strangeHeaders: Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 8, arbitrary: fc.constant({}) },
  fc.constantFrom<Record<string, string>>(
    { accept: 'text/html' },
    { 'accept-language': 'x'.repeat(1_000) },
    { range: 'bytes=0-0' },
    { range: 'bytes=9999999999999999-' },
    { 'if-none-match': '*' },
    { 'if-match': '"x"' },
    { 'x-request-id': '../../x' },
    { 'x-forwarded-for': 'nonsense' },
    { 'x-http-method-override': 'DELETE' },
    { cookie: 'access_token=nonsense; csrf_token=x' },
    { origin: 'https://evil.example.org' },
    { 'sec-fetch-site': 'cross-site' },
    { 'tus-resumable': '1.0.0', 'upload-offset': '0' },
    { 'tus-resumable': '1.0.0', 'upload-length': '100', 'upload-metadata': 'filename YS53YXY=' },
    { 'tus-resumable': '1.0.0', 'upload-length': '-1' },
    { 'tus-resumable': '1.0.0', 'upload-defer-length': '1' },
    { 'tus-resumable': '1.0.0', 'upload-concat': 'partial', 'upload-length': '1' },
    { 'tus-resumable': '1.0.0', 'upload-length': '10', 'upload-metadata': 'filename /////w==' },
    { 'tus-resumable': '9.9.9' },
  ),
);

type Content = { type: string | undefined; body: Buffer | undefined };
const emptyBody: Arbitrary<Content> = fc.constant({ type: undefined, body: undefined });
const json = 'application/json';

/** A body that matches no schema. */
const unspecifiedBody: Arbitrary<Content> = fc.oneof(
  { weight: 6, arbitrary: emptyBody },
  fc.constantFrom<Content>(
    { type: json, body: Buffer.from('{}') },
    { type: json, body: Buffer.from('{"a":') },
    { type: json, body: Buffer.from('"\uFFFF') },
    { type: json, body: Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]) },
    { type: `${json}; charset=utf-16`, body: Buffer.from('{}', 'utf16le') },
    { type: `${json}; charset=nonsense`, body: Buffer.from('{}') },
    { type: 'text/plain', body: Buffer.from('hello') },
    { type: undefined, body: Buffer.from('{}') },
    { type: 'multipart/form-data', body: Buffer.from('--x--') },
    { type: 'multipart/form-data; boundary=b', body: Buffer.from('--b\r\nContent-Disposition: form-data; name="x"') },
    { type: 'application/x-www-form-urlencoded', body: Buffer.from('a=%ED%A0%80&a=1') },
    { type: 'application/octet-stream', body: Buffer.alloc(1_000, 0xff) },
  ),
);

function bodyOf({ requestBody }: Operation, resolve: Resolve, uuids: readonly string[]): Arbitrary<Content> {
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (type === undefined || media === undefined) return unspecifiedBody;
  return fc.oneof({ weight: 8, arbitrary: fittingBody(type, media.schema, resolve, uuids) }, unspecifiedBody);
}

function fittingBody(type: string, schema: Schema, resolve: Resolve, uuids: readonly string[]): Arbitrary<Content> {
  if (type === json)
    return valueOf(schema, resolve, uuids).map((value) => ({ type, body: Buffer.from(JSON.stringify(value)) }));
  if (type === 'application/x-www-form-urlencoded')
    return valueOf(schema, resolve, uuids).map((value) => {
      const fields = Object.entries(Object(value) as Record<string, unknown>);
      return {
        type,
        body: Buffer.from(fields.map(([key, value]) => `${escaped(key)}=${escaped(String(value))}`).join('&')),
      };
    });
  if (type === 'multipart/form-data') return hostileText.chain((name) => hostileText.map((field) => form(name, field)));
  return fc.uint8Array({ maxLength: 100 }).map((bytes) => ({ type, body: Buffer.from(bytes) }));
}

function form(name: string, field: string): Content {
  const part = (head: string, body: string) => `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n${body}\r\n`;
  const text = `${part(`name="title"`, field)}${part(`name="file"; filename="${name}"`, 'RIFF')}--b--\r\n`;
  return { type: 'multipart/form-data; boundary=b', body: Buffer.from(text) };
}
