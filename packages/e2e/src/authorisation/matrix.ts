import { request } from 'node:http';
import type { Instance } from '../instance.ts';
import { endpointsOf, type Caller, type Endpoint } from './endpoints.ts';
import { expectedFor, outcomeOf, roles, type CallerRole } from './outcomes.ts';
import { createFixtures, type Person, type Relation, type FixtureIds } from './fixtures.ts';
import { table, type Entry } from './table.ts';

type Case = { route: string; entry: Entry; relation: Relation; callerRole: CallerRole };
const concurrency = 4;

type Sent = { method: string; headers: Record<string, string>; body?: string };

type Fixtures = Awaited<ReturnType<typeof createFixtures>>;

export function createMatrix(instance: Instance) {
  let fixtures: Fixtures | undefined;

  const runCase = async (testCase: Case, fixtureSet: Fixtures, endpoint: Endpoint): Promise<string | undefined> => {
    const caller: Person | null = testCase.callerRole === 'none' ? null : await fixtureSet.person(testCase.callerRole);
    const things = await fixtureSet.things(testCase.relation, caller, requirementsOf(testCase.route, testCase.entry));
    const { target, acceptsAnyBody, init } = requestOf(testCase.route, testCase.entry, things);
    const { base, headers } = endpoint(
      testCase.route,
      caller && { ...caller, role: testCase.callerRole as Caller['role'] },
    );
    const { status, code } = await send(base + target, { ...init, headers: { ...init.headers, ...headers } });
    const outcome = outcomeOf({ status, code }, acceptsAnyBody);
    const expected = expectedFor(testCase.entry.expects[testCase.relation] ?? '', testCase.callerRole);
    if (outcome === expected) return undefined;
    return `${testCase.route} as ${testCase.callerRole} (${testCase.relation}): ${outcome}, not ${expected} [${status} ${code ?? ''}]`;
  };

  return {
    run: async (target: 'gateway' | 'service'): Promise<{ requestCount: number; wrong: string[] }> => {
      fixtures ??= await createFixtures(instance);
      const fixtureSet = fixtures;
      const endpoints = await endpointsOf(instance);
      const endpoint = target === 'gateway' ? endpoints.gateway : endpoints.service;
      const cases = Object.entries(table)
        .filter(([route]) => target === 'gateway' || endpoints.hasService(route))
        .flatMap(([route, entry]) => casesOf(route, entry));
      const queue = cases.values();
      const wrong: string[] = [];
      const work = async () => {
        for (const testCase of queue) {
          const fault = await runCase(testCase, fixtureSet, endpoint);
          if (fault) wrong.push(fault);
        }
      };
      await Promise.all(Array.from({ length: concurrency }, work));
      return { requestCount: cases.length, wrong };
    },
    close: async () => {
      await fixtures?.close();
    },
  };
}

/** The resources that a route needs: those in its path, query or body. */
export function requirementsOf(route: string, entry: Entry) {
  const probe = new Set<string>();
  const watched = new Proxy({} as FixtureIds, { get: (_, name) => (probe.add(String(name)), String(name)) });
  entry.params?.(watched);
  entry.send?.(watched);
  const parts = new Set(['segment', 'speaker', 'otherSpeaker', 'share']);
  const onFile = /\/api\/(files|tags\/files|tasks\/files|topics)\/\{uuid\}/.test(route);
  return (what: string): boolean => {
    if (what === 'file') return onFile || probe.has('file') || [...parts].some((part) => probe.has(part));
    if (what === 'share') return onFile && route.includes('{share_uuid}');
    if (what === 'bystander') return probe.has('bystander') || route.includes('{share_uuid}');
    return what === 'upload' ? route.includes('{upload_id}') : probe.has(what);
  };
}

export function requestOf(route: string, entry: Entry, ids: FixtureIds) {
  const [method = '', path = ''] = route.split(' ');
  const params = paramsOf(route, entry, ids);
  const { query, json, form, raw } = entry.send?.(ids) ?? {};
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
  const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded';
  const body = form ?? (json === undefined ? undefined : JSON.stringify(json));
  const tus = path.includes('/tus') ? { 'tus-resumable': '1.0.0' } : {};
  return {
    target: query === undefined ? target : `${target}?${query}`,
    acceptsAnyBody: raw === true,
    init: {
      method,
      headers: {
        ...tus,
        // Node sends the body of a DELETE without a length, which is no valid request.
        ...(body === undefined ? {} : { 'content-type': type, 'content-length': `${Buffer.byteLength(body)}` }),
      },
      ...(body === undefined ? {} : { body }),
    },
  };
}

/** Sends a request on a new connection, so that one response cannot affect the next request. */
function send(url: string, { method, headers, body }: Sent): Promise<{ status: number; code: string | undefined }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('error', reject).on('end', () => {
        const isProblem = (response.headers['content-type'] ?? '').includes('problem+json') && text !== '';
        const code = isProblem ? (JSON.parse(text) as { code?: string }).code : undefined;
        resolve({ status: response.statusCode ?? 0, code });
      });
    });
    sent.on('error', reject).end(body);
  });
}

function casesOf(route: string, entry: Entry): Case[] {
  return Object.entries(entry.expects).flatMap(([relation, letters]) =>
    roles
      .filter((callerRole) => expectedFor(letters, callerRole) !== undefined)
      .map((callerRole) => ({ route, entry, relation: relation as Relation, callerRole })),
  );
}

/** The path parameters: the id of a file, an account or a session by the path, unless the table defines them. */
function paramsOf(route: string, entry: Entry, ids: FixtureIds): Record<string, string> {
  return {
    uuid: route.includes('/users/') || route.includes('/user-approvals/') ? ids.owner : ids.file,
    session_uuid: ids.session,
    segment_uuid: ids.segment,
    share_uuid: ids.share,
    upload_id: ids.upload,
    tag_name: 'matrix',
    ...entry.params?.(ids),
  };
}
