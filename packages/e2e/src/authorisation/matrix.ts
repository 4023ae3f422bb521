import { request } from 'node:http';
import type { Instance } from '../instance.ts';
import { limitSignIns } from '../people.ts';
import { doorsOf, type Caller, type Door } from './doors.ts';
import { expectedFor, outcomeOf, roles, type Asker } from './outcomes.ts';
import { createScenery, type Person, type Relation, type Scenery } from './scenery.ts';
import { table, type Entry } from './table.ts';

type Case = { route: string; entry: Entry; relation: Relation; asker: Asker };
type Document = { paths: Record<string, Record<string, unknown>> };
const atOnce = 4;

const routesOf = async (baseUrl: string): Promise<string[]> => {
  const document = (await (await fetch(`${baseUrl}/api/openapi.json`)).json()) as Document;
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
};

/** What a route needs to be there: whatever its path, query or body names. */
const needsOf = ({ route, entry }: Case) => {
  const probe = new Set<string>();
  const watched = new Proxy({} as Scenery, { get: (_, name) => (probe.add(String(name)), String(name)) });
  entry.params?.(watched);
  entry.send?.(watched);
  const parts = new Set(['segment', 'speaker', 'otherSpeaker', 'share']);
  const onFile = /\/api\/(files|tags\/files|tasks\/files)\/\{uuid\}/.test(route);
  return (what: string): boolean => {
    if (what === 'file') return onFile || probe.has('file') || [...parts].some((p) => probe.has(p));
    if (what === 'share') return route.includes('{share_uuid}');
    if (what === 'bystander') return probe.has('bystander') || route.includes('{share_uuid}');
    return what === 'upload' ? route.includes('{upload_id}') : probe.has(what);
  };
};

/** Ids for a path: a file, an account or a session by what the path is about, unless the table says otherwise. */
const paramsOf = (route: string, entry: Entry, s: Scenery): Record<string, string> => ({
  uuid: route.includes('/users/') || route.includes('/user-approvals/') ? s.owner : s.file,
  session_uuid: s.session,
  segment_uuid: s.segment,
  share_uuid: s.share,
  upload_id: s.upload,
  tag_name: 'matrix',
  ...entry.params?.(s),
});

const requestOf = (route: string, entry: Entry, s: Scenery) => {
  const [method = '', path = ''] = route.split(' ');
  const params = paramsOf(route, entry, s);
  const { query, json, form, raw } = entry.send?.(s) ?? {};
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '');
  const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded';
  const body = form ?? (json === undefined ? undefined : JSON.stringify(json));
  const tus = path.includes('/tus') ? { 'tus-resumable': '1.0.0' } : {};
  return {
    target: query === undefined ? target : `${target}?${query}`,
    anyBody: raw === true,
    init: {
      method,
      headers: { ...tus, ...(body === undefined ? {} : { 'content-type': type }) },
      ...(body === undefined ? {} : { body }),
    },
  };
};

type Sent = { method: string; headers: Record<string, string>; body?: string };

/** On a connection of its own: what one answer does to a kept connection must not be told of the next. */
const ask = (url: string, { method, headers, body }: Sent): Promise<{ status: number; code: string | undefined }> =>
  new Promise((done, fail) => {
    const sent = request(url, { method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (d: string) => (text += d));
      response.on('error', fail).on('end', () => {
        const isProblem = (response.headers['content-type'] ?? '').includes('problem+json') && text !== '';
        const code = isProblem ? (JSON.parse(text) as { code?: string }).code : undefined;
        done({ status: response.statusCode ?? 0, code });
      });
    });
    sent.on('error', fail).end(body);
  });

const casesOf = (route: string, entry: Entry): Case[] =>
  Object.entries(entry.expects).flatMap(([relation, letters]) =>
    roles
      .filter((asker) => expectedFor(letters, asker) !== undefined)
      .map((asker) => ({ route, entry, relation: relation as Relation, asker })),
  );

type Made = Awaited<ReturnType<typeof createScenery>>;

export const createMatrix = (instance: Instance) => {
  let scenery: Made | undefined;

  const judge = async (c: Case, made: Made, door: Door): Promise<string | undefined> => {
    const caller: Person | null = c.asker === 'none' ? null : await made.person(c.asker);
    const things = await made.things(c.relation, caller, needsOf(c));
    const { target, anyBody, init } = requestOf(c.route, c.entry, things);
    const { base, headers } = door(c.route, caller && { ...caller, role: c.asker as Caller['role'] });
    const { status, code } = await ask(base + target, { ...init, headers: { ...init.headers, ...headers } });
    const outcome = outcomeOf({ status, code }, anyBody);
    const expected = expectedFor(c.entry.expects[c.relation] ?? '', c.asker);
    if (outcome === expected) return undefined;
    return `${c.route} as ${c.asker} (${c.relation}): ${outcome}, not ${expected} [${status} ${code ?? ''}]`;
  };

  return {
    routes: () => routesOf(instance.baseUrl),
    run: async (way: 'through the gateway' | 'past the gateway'): Promise<{ asked: number; wrong: string[] }> => {
      await limitSignIns(instance, 10_000);
      scenery ??= await createScenery(instance);
      const made = scenery;
      const doors = await doorsOf(instance);
      const door = way === 'through the gateway' ? doors.gateway : doors.service;
      const cases = Object.entries(table)
        .filter(([route]) => way === 'through the gateway' || doors.hasService(route))
        .flatMap(([route, entry]) => casesOf(route, entry));
      const queue = cases.values();
      const wrong: string[] = [];
      const work = async () => {
        for (const c of queue) {
          const fault = await judge(c, made, door);
          if (fault) wrong.push(fault);
        }
      };
      await Promise.all(Array.from({ length: atOnce }, work));
      return { asked: cases.length, wrong };
    },
    close: async () => {
      await scenery?.close();
      await limitSignIns(instance, null);
    },
  };
};
