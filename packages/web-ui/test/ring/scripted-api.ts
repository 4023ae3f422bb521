import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { readFileSync, readdirSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { RequestBody, ResponseBody, Route } from '@overtone/client';
import { errorsOf, readsBody, routes, type ErrorCode, type Problem, type RouteDef } from '@overtone/contracts';
import { example, exampleOf } from './example.ts';

/** A request as the contract reads it. */
export type ScriptedRequest<R extends Route = Route> = {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: RequestBody<R>;
};
type Respond<R extends Route> = ResponseBody<R> | ((request: ScriptedRequest<R>) => ResponseBody<R>);
type Refusal = { readonly code: ErrorCode; readonly detail?: string; readonly errors?: Problem['errors'] };

/** The responses of one test. A GET without a script gets the smallest response of its contract. */
export type ScriptedApi = {
  readonly baseUrl: string;
  readonly respond: <R extends Route>(route: R, response: Respond<R>) => void;
  readonly refuse: (route: Route, refusal: Refusal) => void;
  /** Closes the connection without a response, as when the network fails. */
  readonly lose: (route: Route) => void;
  /** Holds back the responses of a route. @returns sends them, and holds back no more */
  readonly hold: (route: Route) => () => void;
  /** The bodies that were sent to a route. */
  readonly sent: (route: Route) => unknown[];
  readonly requests: (route: Route) => ScriptedRequest[];
  /** Ends the session of the person: every private request is refused until the next sign-in. */
  readonly endSession: () => void;
  /** Forgets the script and what was sent. */
  readonly reset: () => void;
  /** What was wrong since the last reset: an unknown request, or a message that its contract refuses. */
  readonly faults: () => readonly string[];
};

type Reaction =
  | { readonly kind: 'respond'; readonly response: unknown }
  | { readonly kind: 'refuse'; readonly refusal: Refusal }
  | { readonly kind: 'lose' };

const signedOut: Refusal = { code: 'not_authenticated' };
const token = example('POST /api/auth/token', { expires_in: 900 });
const dist = join(import.meta.dirname, '../../dist');
const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
};

/** Serves the built pages, and the API as scripted. Every message is parsed with its contract. */
export async function startScriptedApi(): Promise<ScriptedApi & { close: () => Promise<void> }> {
  const pages = readPages();
  const findRoute = createRouteLookup();
  let reactions = new Map<Route, Reaction>();
  let held = new Map<Route, Promise<void>>();
  let received = new Map<Route, ScriptedRequest[]>();
  let faults: string[] = [];
  let isSignedIn = true;

  const server = createServer((request, response) => {
    respondTo(request, response).catch((error: unknown) => {
      faults.push(error instanceof Error ? error.message : String(error));
      response.destroy();
    });
  });
  async function respondTo(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://localhost');
    if (!pathname.startsWith('/api/')) return sendPage(response, pages.get(pathname) ?? pages.get('/index.html'));
    const name = `${request.method} ${pathname}`;
    const found = findRoute(request.method ?? '', pathname);
    if (!found) throw new Error(`${name}: no route of the contracts`);
    const { route, definition, params } = found;
    const body = await readBody(request, definition);
    checkRequest(definition, { name, params, query, body });
    const accepted = { params, query, body: body as RequestBody<Route> };
    received.set(route, [...(received.get(route) ?? []), accepted]);
    await held.get(route);
    if (route === 'POST /api/auth/token') isSignedIn = true;
    if (!isSignedIn && definition.access !== 'public') return sendProblem(response, definition, signedOut);
    const reaction = reactions.get(route) ?? defaultReaction(definition, name);
    if (reaction.kind === 'lose') response.destroy();
    else if (reaction.kind === 'refuse') sendProblem(response, definition, reaction.refusal);
    else sendResponse(response, definition, valueOf(reaction.response, accepted));
  }
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    respond: (route, response) => reactions.set(route, { kind: 'respond', response }),
    refuse: (route, refusal) => reactions.set(route, { kind: 'refuse', refusal }),
    lose: (route) => reactions.set(route, { kind: 'lose' }),
    hold: (route) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      held.set(route, promise);
      return () => {
        held.delete(route);
        resolve();
      };
    },
    requests: (route) => received.get(route) ?? [],
    sent: (route) => (received.get(route) ?? []).map(({ body }) => body),
    endSession: () => {
      isSignedIn = false;
      reactions.set('POST /api/auth/token/refresh', { kind: 'refuse', refusal: { code: 'refresh_refused' } });
      reactions.set('POST /api/auth/token', { kind: 'respond', response: token });
    },
    reset: () => {
      isSignedIn = true;
      reactions = new Map();
      held = new Map();
      received = new Map();
      faults = [];
    },
    faults: () => faults,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function valueOf(response: unknown, request: ScriptedRequest): unknown {
  return typeof response === 'function' ? (response as (request: ScriptedRequest) => unknown)(request) : response;
}

/** Reading changes nothing, so it needs no script. */
function defaultReaction(definition: RouteDef, name: string): Reaction {
  // Pages report by themselves that they are open.
  if (definition.path === '/api/files/{uuid}/presence') return { kind: 'respond', response: undefined };
  if (definition.method !== 'GET') throw new Error(`${name}: no response is scripted`);
  return { kind: 'respond', response: exampleOf(definition.answer) };
}

async function readBody(request: IncomingMessage, { bodyKind }: RouteDef): Promise<unknown> {
  const sent = await text(request);
  if (sent === '' || bodyKind === 'raw') return undefined;
  return bodyKind === 'form' ? Object.fromEntries(new URLSearchParams(sent)) : JSON.parse(sent);
}

type SentRequest = {
  readonly name: string;
  readonly params: unknown;
  readonly query: URLSearchParams;
  readonly body: unknown;
};

function checkRequest(definition: RouteDef, { name, params, query, body }: SentRequest): void {
  const fields = Object.fromEntries(
    [...new Set(query.keys())].map((key) => {
      const values = query.getAll(key);
      return [key, values.length > 1 ? values : values[0]];
    }),
  );
  accept(definition.params, params, `${name}: the parameters`);
  accept(definition.query, fields, `${name}: the query`);
  if (readsBody(definition) && definition.bodyKind !== 'raw') accept(definition.body, body, `${name}: the body`);
}

function accept(schema: RouteDef['body'], value: unknown, what: string): void {
  const { error } = schema.safeParse(value);
  if (error) throw new Error(`${what} is refused by the contract: ${error.message} ${JSON.stringify(value)}`);
}

function sendResponse(response: ServerResponse, definition: RouteDef, value: unknown): void {
  accept(definition.answer, value, `${definition.method} ${definition.path}: the response`);
  response.writeHead(definition.status, { 'content-type': definition.answerType });
  response.end(value === undefined ? '' : JSON.stringify(value));
}

function sendProblem(response: ServerResponse, definition: RouteDef, { code, detail, errors }: Refusal): void {
  const declared = errorsOf(definition).find((error) => error.code === code);
  if (!declared) throw new Error(`${definition.method} ${definition.path} does not declare the error ${code}`);
  const problem: Problem = {
    type: 'about:blank',
    title: code,
    status: declared.status,
    code,
    detail: detail ?? `Refused: ${code}`,
    request_id: 'scripted',
    ...(errors === undefined ? {} : { errors }),
  };
  response.writeHead(declared.status, { 'content-type': 'application/problem+json' });
  response.end(JSON.stringify(problem));
}

type FoundRoute = {
  readonly route: Route;
  readonly definition: RouteDef;
  readonly params: Readonly<Record<string, string>>;
};

function createRouteLookup(): (method: string, path: string) => FoundRoute | undefined {
  const patterns = routes
    // A literal segment wins over a parameter.
    .toSorted((left, right) => left.path.split('{').length - right.path.split('{').length)
    .map((definition) => ({
      definition,
      pattern: new RegExp(`^${definition.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
    }));
  return (method, path) => {
    for (const { definition, pattern } of patterns) {
      const match = definition.method === method ? pattern.exec(path) : null;
      if (!match) continue;
      const params = Object.fromEntries(
        Object.entries(match.groups ?? {}).map(([name, value]) => [name, decodeURIComponent(value)]),
      );
      return { route: `${definition.method} ${definition.path}` as Route, definition, params };
    }
    return undefined;
  };
}

type StaticFile = { readonly content: Buffer; readonly type: string; readonly isImmutable: boolean };

function readPages(): ReadonlyMap<string, StaticFile> {
  const files = readdirSync(dist, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      const file: StaticFile = {
        content: readFileSync(path),
        type: types[extname(name)] ?? 'application/octet-stream',
        isImmutable: parentPath.endsWith('assets'),
      };
      return [path.slice(dist.length), file];
    }),
  );
}

function sendPage(response: ServerResponse, file: StaticFile | undefined): void {
  if (!file) throw new Error('the pages are not built: run `node packages/cli/src/prepare.main.ts`');
  response.writeHead(200, {
    'content-type': file.type,
    'cache-control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
  });
  response.end(file.content);
}
