import { randomUUID } from 'node:crypto';

/** The part of an OpenAPI document that is needed to generate invalid requests. */
type Schema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  maxLength?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
};
type Parameter = { name: string; in: 'path' | 'query'; schema: Schema };
type Operation = {
  security?: unknown[];
  'x-required-role'?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
};
type Document = { paths: Record<string, Record<string, Operation>>; components: { schemas: Record<string, Schema> } };

export type BadInputOptions = { baseUrl: string; tokens: { user: string; admin: string } };
export type BadInputReport = { sent: number; routes: number; faults: string[] };

type Attempt = {
  name: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
  token?: string | undefined;
  /** Expected statuses; any 4xx when it is omitted. */
  expect?: number[];
};

const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const ids: Record<string, string> = {
  'no UUID': 'not-an-id',
  'a path traversal': '..%2f..%2f..%2fetc%2fpasswd',
  'a NUL': 'a%00b',
  'an invalid UTF-8 sequence': '%ff%fe',
  'an SQL injection': "'%20or%201=1--",
  'ten thousand letters': 'a'.repeat(10_000),
  'a property of Object': '__proto__',
};

const leaks = /node_modules|\/src\/|\.ts:\d|prisma|select .+ from|ECONN|postgres|at async|stack/i;

/**
 * Sends bad input to every documented route: no token, wrong role, invalid ids, invalid queries and bodies, NUL, `../`,
 * huge strings. Every request must be rejected, and none may cause a 5xx.
 */
export async function badInput({ baseUrl, tokens }: BadInputOptions): Promise<BadInputReport> {
  const document = (await (await fetch(`${baseUrl}/api/openapi.json`)).json()) as Document;
  const resolve = (schema: Schema): Schema => {
    const name = schema.$ref?.split('/').at(-1);
    const named = name === undefined ? undefined : document.components.schemas[name];
    return named ?? schema.anyOf?.[0] ?? schema;
  };
  const report: BadInputReport = { sent: 0, routes: 0, faults: [] };
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      report.routes += 1;
      const attempts = [
        ...callerAttempts(path, operation, tokens),
        ...pathAttempts(path, operation),
        ...queryAttempts(path, operation),
        ...bodyAttempts(path, method, operation, resolve),
      ].filter((attempt) => isApplicable(method, attempt));
      for (const attempt of attempts) {
        const token = attempt.token ?? tokens.admin;
        const response = await fetch(baseUrl + attempt.path, {
          method: method.toUpperCase(),
          headers: { ...(token ? { authorization: `Bearer ${token}` } : {}), ...attempt.headers },
          ...(attempt.body === undefined ? {} : { body: attempt.body }),
          redirect: 'manual',
        });
        const text = await response.text();
        report.sent += 1;
        const fault = faultOf(method, attempt, response.status, response.headers, text);
        if (fault)
          report.faults.push(`${method.toUpperCase()} ${path}, ${attempt.name}: ${fault} ${text.slice(0, 160)}`);
      }
    }
  }
  return report;
}

function callerAttempts(path: string, operation: Operation, tokens: BadInputOptions['tokens']): Attempt[] {
  const role = operation['x-required-role'];
  if (!role) return [];
  const to = filled(path);
  const truncated = tokens.user.slice(0, tokens.user.length - 4);
  return [
    { name: 'no token', path: to, token: '', expect: [401] },
    { name: 'an invalid token', path: to, token: 'nonsense', expect: [401] },
    { name: 'a truncated token', path: to, token: truncated, expect: [401] },
    { name: 'another scheme', path: to, headers: { authorization: 'Basic YTpi' }, token: '', expect: [401] },
    {
      name: 'a cookie and no CSRF header',
      path: to,
      headers: { cookie: `access_token=${tokens.user}` },
      token: '',
      expect: [403],
    },
    ...(role === 'user' ? [] : [{ name: 'a role that is too low', path: to, token: tokens.user, expect: [403] }]),
  ];
}

function pathAttempts(path: string, operation: Operation): Attempt[] {
  return (operation.parameters ?? [])
    .filter((parameter) => parameter.in === 'path')
    .flatMap((parameter) => [
      ...Object.entries(ids).map(([kind, value]) => ({
        name: `${parameter.name} is ${kind}`,
        path: filled(path.replace(`{${parameter.name}}`, value)),
      })),
      { name: `${parameter.name} is unknown`, path: filled(path) },
    ]);
}

function queryAttempts(path: string, operation: Operation): Attempt[] {
  return (operation.parameters ?? [])
    .filter((parameter) => parameter.in === 'query')
    .flatMap((parameter) =>
      wrongQuery(parameter.schema).map((value) => ({
        name: `${parameter.name}=${value.slice(0, 20)}`,
        path: `${filled(path)}?${parameter.name}=${value}`,
      })),
    );
}

function bodyAttempts(
  path: string,
  method: string,
  operation: Operation,
  resolve: (schema: Schema) => Schema,
): Attempt[] {
  if (['get', 'head', 'options'].includes(method)) return [];
  const to = filled(path);
  const content = operation.requestBody?.content ?? {};
  const send = (name: string, body: string, headers: Record<string, string>, expect?: number[]): Attempt => ({
    name,
    path: to,
    body,
    headers,
    ...(expect ? { expect } : {}),
  });
  const media = Object.keys(content)[0];
  // Resumable uploads accept any bytes.
  if (path.includes('/tus'))
    return [send('a JSON body', '{}', json), send('a large body', 'x'.repeat(1_100_000), { 'content-type': 'a/b' })];
  if (media === 'multipart/form-data' || media === 'application/offset+octet-stream')
    return [
      send('a JSON body', '{"file":1}', json),
      send('a form without parts', '', { 'content-type': 'multipart/form-data; boundary=b' }),
      send('a truncated form', '--b\r\nContent-Disposition: form-data; name="file"; filename="../../x', {
        'content-type': 'multipart/form-data; boundary=b',
      }),
      send('a form without boundary', 'x', { 'content-type': 'multipart/form-data' }),
    ];
  if (media === form['content-type'])
    return [
      send('a JSON body', '{}', json),
      send('no fields', '', form),
      send('a NUL in every field', 'username=a%00b&password=a%00b', form),
      send('a field twice', 'username=a&username=b&password=c', form),
      send('a field that is too long', `username=${'x'.repeat(5000)}&password=x`, form),
    ];
  const schema = resolve(content['application/json']?.schema ?? {});
  const fields = Object.entries(schema.properties ?? {});
  const base = Object.fromEntries(
    fields.map(([name, schema]) => [name, resolve(schema).format === 'uuid' ? randomUUID() : 'x']),
  );
  return [
    send('malformed JSON', '{"a":', json, [400]),
    send('JSON with a NUL', '{"a":"\0"}', json, [400]),
    send('text', 'hello', { 'content-type': 'text/plain' }, [400, 415]),
    send('XML', '<a/>', { 'content-type': 'application/xml' }, [400, 415]),
    send('a list', '[]', json, [400, 404, 422]),
    send('a bare string', '"x"', json, [400]),
    send('more than a mebibyte', `{"a":"${'x'.repeat(1_100_000)}"}`, json, [413]),
    ...(schema.required?.length ? [send('no fields', '{}', json)] : []),
    ...fields.flatMap(([name, schema]) => {
      const wrong = wrongValue(resolve(schema));
      return [
        ...(wrong === undefined
          ? []
          : [send(`${name} of a wrong type`, JSON.stringify({ ...base, [name]: wrong }), json)]),
        ...(resolve(schema).type === 'string'
          ? [
              send(`${name} with a NUL`, JSON.stringify({ ...base, [name]: 'a\0b' }), json),
              send(`${name} of 100,000 letters`, JSON.stringify({ ...base, [name]: 'x'.repeat(100_000) }), json),
            ]
          : []),
      ];
    }),
  ];
}

/** Reads with a cookie need no CSRF header, so that case does not apply to them. */
function isApplicable(method: string, { name }: Attempt): boolean {
  return !(name.startsWith('a cookie and no CSRF') && ['get', 'head'].includes(method));
}

/** The fault of a response to bad input; undefined when the response is correct. */
function faultOf(
  method: string,
  { expect }: Attempt,
  status: number,
  headers: Headers,
  text: string,
): string | undefined {
  if (status >= 500) return `answered ${status}`;
  if (status < 400) return `was accepted with ${status}`;
  // The rate limit of sign-ins can reject any request.
  if (expect && status !== 429 && !expect.includes(status)) return `answered ${status}, not ${expect.join(' or ')}`;
  if (method === 'head') return undefined;
  if (!(headers.get('content-type') ?? '').startsWith('application/problem+json')) return `${status} without a problem`;
  if (leaks.test(text)) return `contains internals: ${text.slice(0, 300)}`;
  try {
    const problem = JSON.parse(text) as Record<string, unknown>;
    const isComplete = problem['status'] === status && problem['code'] && typeof problem['detail'] === 'string';
    return isComplete && problem['request_id'] ? undefined : `an incomplete problem: ${text.slice(0, 300)}`;
  } catch {
    return `no JSON: ${text.slice(0, 300)}`;
  }
}

function filled(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, () => randomUUID());
}

/** Invalid values of a query field. */
function wrongQuery(schema: Schema): string[] {
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (schema.enum || type === 'boolean') return ['nonsense', '%00'];
  if (type === 'integer' || type === 'number') return ['nonsense', '-1', '1e999', 'NaN', '9'.repeat(400)];
  if (schema.format) return ['nonsense', '%00', '2026-99-99'];
  return ['a%00b', ...(schema.maxLength === undefined ? [] : ['x'.repeat(Math.min(12_000, schema.maxLength + 1))])];
}

function wrongValue(schema: Schema): unknown {
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  if (type === 'string') return { wrong: 1 };
  return type === undefined ? undefined : 'nonsense';
}
