import { request } from 'node:http';
import { createAnswerCheck, type ApiDocument } from '@overtone/testkit/answers';
import * as fc from 'fast-check';
import { endpointsOf, type Caller } from '../authorisation/endpoints.ts';
import { createFixtures } from '../authorisation/fixtures.ts';
import type { Instance } from '../instance.ts';
import { requestOf, type FuzzRequest, type Operation } from './requests.ts';
import type { Resolve, Schema } from './values.ts';

export type FuzzOptions = { instance: Instance; cases: number; seed: number };
export type FuzzReport = { sent: number; operations: number; slowestMs: number; statuses: string; faults: string[] };

type Document = ApiDocument & {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};
type Fixtures = Awaited<ReturnType<typeof createFixtures>>;
type World = { callers: (Caller | null)[]; things: Record<string, string> };
type Received = { status: number; headers: NodeJS.Dict<string | string[]>; text: string; ms: number };

const limitMs = 5_000;
const parallel = 4;
/** Requests end sessions and delete resources, so callers and resources are replaced after this number. */
const casesPerWorld = 60;
const leaks = /node_modules|\/src\/|\.ts:\d|prisma|ECONN|postgres|at async/i;

/**
 * Sends generated requests to every operation with every role, alternating between gateway and service. Every response
 * must match the API description and arrive within 5 s; none may be a server error.
 */
export async function fuzz({ instance, cases, seed }: FuzzOptions): Promise<FuzzReport> {
  const document = (await (await fetch(`${instance.baseUrl}/api/openapi.json`)).json()) as Document;
  const resolve: Resolve = (schema) => document.components.schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema;
  const operations = operationsOf(document);
  const [endpoints, fixtures] = await Promise.all([endpointsOf(instance), createFixtures(instance)]);
  const faultOf = createJudge(document);
  const report: FuzzReport = { sent: 0, operations: operations.length, slowestMs: 0, statuses: '', faults: [] };
  const statuses = new Map<number, number>();

  const send = async (turn: number, world: World): Promise<void> => {
    const { template, method, operation } = operations[turn % operations.length] as (typeof operations)[number];
    const round = Math.floor(turn / operations.length);
    const caller = world.callers[(turn + round) % world.callers.length] ?? null;
    const route = `${method.toUpperCase()} ${template}`;
    const direct = round % 4 === 3 && endpoints.hasService(route);
    const endpoint = (direct ? endpoints.service : endpoints.gateway)(route, caller);
    const generated = requestOf(template, method, operation, resolve, world.things);
    const [sent] = fc.sample(generated, { seed: seed + turn, numRuns: 1 }) as [FuzzRequest];
    const headers = { ...sent.headers, ...endpoint.headers };
    const received = await exchange(endpoint.base, method, { ...sent, headers }).catch((error: unknown) =>
      String(error),
    );
    report.sent += 1;
    const fault = typeof received === 'string' ? received : faultOf(method, sent.path, received);
    if (typeof received !== 'string') {
      statuses.set(received.status, (statuses.get(received.status) ?? 0) + 1);
      report.slowestMs = Math.max(report.slowestMs, received.ms);
    }
    if (fault)
      report.faults.push(
        `case ${turn}, ${caller?.role ?? 'anonymous'}${direct ? ' at the service' : ''}: ${method.toUpperCase()} ` +
          `${sent.path.slice(0, 500)} ${JSON.stringify(sent.headers)} ${sent.body?.toString('latin1').slice(0, 500) ?? ''}: ${fault}`,
      );
  };

  try {
    for (let from = 0; from < cases; from += casesPerWorld) {
      const world = await createWorld(fixtures);
      const turns = Array.from({ length: Math.min(casesPerWorld, cases - from) }, (_, i) => from + i);
      await Promise.all(
        Array.from({ length: parallel }, async () => {
          for (let turn = turns.shift(); turn !== undefined; turn = turns.shift()) await send(turn, world);
        }),
      );
    }
  } finally {
    await fixtures.close();
  }
  report.statuses = [...statuses]
    .toSorted(([left], [right]) => left - right)
    .map(([schema, count]) => `${schema}: ${count}`)
    .join(', ');
  return report;
}

function operationsOf(document: Document) {
  return Object.entries(document.paths).flatMap(([template, of]) =>
    Object.entries(of).map(([method, operation]) => ({ template, method, operation })),
  );
}

async function createWorld(fixtures: Fixtures): Promise<World> {
  const [user, admin, superAdmin] = await Promise.all(
    (['user', 'admin', 'super_admin'] as const).map(async (role) => ({ ...(await fixtures.person(role)), role })),
  );
  const { ...things } = await fixtures.things('own', user as Caller, () => true);
  return { callers: [null, user as Caller, admin as Caller, superAdmin as Caller, user as Caller], things };
}

function createJudge(document: ApiDocument) {
  const differenceOf = createAnswerCheck(document);
  return (method: string, path: string, { status, headers, text, ms }: Received): string | undefined => {
    const contentType = headers['content-type'] === undefined ? null : String(headers['content-type']);
    if (status >= 500) return `answered ${status}: ${text.slice(0, 300)}`;
    if (ms > limitMs) return `answered ${status} after ${ms} ms`;
    if (status >= 400 && leaks.test(text)) return `shows internals: ${text.slice(0, 300)}`;
    return differenceOf({
      method: method.toUpperCase(),
      path: path.split('?', 1)[0] ?? '',
      status,
      contentType,
      setsCookies: headers['set-cookie'] !== undefined,
      text,
    });
  };
}

/** Uses `node:http`, because `fetch` normalizes paths and headers. */
function exchange(base: string, method: string, { path, headers, body }: FuzzRequest): Promise<Received> {
  const { hostname, port } = new URL(base);
  const from = performance.now();
  return new Promise((resolve, reject) => {
    const length = body ? { 'content-length': body.length } : {};
    // No keep-alive: the server may close an idle connection at the moment of its reuse.
    const options = {
      agent: false as const,
      hostname,
      port,
      method,
      path,
      headers: { ...headers, ...length },
      timeout: 30_000,
    };
    const req = request(options, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('error', reject);
      res.on('end', () =>
        resolve({
          status: res.statusCode ?? 0,
          headers: res.headers,
          text: Buffer.concat(chunks).toString('utf8'),
          ms: Math.round(performance.now() - from),
        }),
      );
    });
    req.on('timeout', () => req.destroy(new Error('no answer within 30 s')));
    req.on('error', reject);
    req.end(body);
  });
}
