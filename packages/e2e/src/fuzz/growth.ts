import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { endpointsOf } from '../authorisation/endpoints.ts';
import { createFixtures } from '../authorisation/fixtures.ts';
import { requestOf, requirementsOf } from '../authorisation/matrix.ts';
import { table, type Entry } from '../authorisation/table.ts';
import type { Instance } from '../instance.ts';
import { cpuSecondsOf, memoryOf, processesOf } from '../processes.ts';
import { choose, type Choice } from '../suite.ts';
import type { Operation } from './requests.ts';
import type { Resolve, Schema } from './values.ts';

export type GrowthReport = {
  readonly places: number;
  readonly sent: number;
  /** Requests that were accepted, so that a handler worked with the text. */
  readonly accepted: number;
  /** Processor time without requests, in seconds per millisecond. */
  readonly idleRate: number;
  /** Every place with its cost, the most expensive first. */
  readonly costs: readonly string[];
  readonly faults: readonly string[];
};

type Sent = ReturnType<NonNullable<Entry['send']>>;
/** A field of a request that takes text, or a list; `size` is the largest that the contract allows. */
type Place = {
  readonly name: string;
  readonly pieces: readonly string[];
  readonly size: number;
  readonly put: (sent: Sent, piece: string, size: number) => Sent;
};
type Document = {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, Schema> };
};
type Cost = { readonly cpuSeconds: number; readonly peakBytes: number; readonly accepted: number };
type Sample = { readonly route: string; readonly entry: Entry; readonly place: Place };

/** What patterns, parsers, encoders and matchers repeat. */
const pieces = ['a', 'a ', ' ', '. ', '<a ', '&amp;', '["', '\\', 'a@b.', '1', '-1,', '((', 'é', '\u0301', '👩‍👧', '# '];
/** How long the processor time without requests is measured. */
const idleMs = 3_000;
const longestAnswerMs = 120_000;
const megabyte = 1024 * 1024;
/** Where the contract names no limit, that of the body counts. */
const longestText = 200_000;
const longestQuery = 1_500;
const longestList = 5_000;
/** Of one request. Less is within the noise of all processes, and does not matter. */
const unsuspiciousSeconds = 0.05;
const unsuspiciousBytes = 192 * megabyte;
/** For four times the size: between linear and quadratic, which are 4 and 16. */
const mostGrowth = 6.4;
const leastSeconds = unsuspiciousSeconds * mostGrowth;

/**
 * Sends to the routes the largest texts and lists that their contract allows, and measures processor time and peak of memory of
 * all processes until they are quiet again, so that internal requests and consumers of events count, too. A place that costs
 * much is measured piece by piece, and at a quarter of the size: the cost must not grow faster than the size.
 * `oneOf`: one place in so many, with a quarter of the pieces; 1: all.
 */
export async function measureGrowth(instance: Instance, { oneOf, seed }: Choice): Promise<GrowthReport> {
  const document = (await (await fetch(`${instance.baseUrl}/api/openapi.json`)).json()) as Document;
  const resolve: Resolve = (schema) => document.components.schemas[schema.$ref?.split('/').at(-1) ?? ''] ?? schema;
  const fixtures = await createFixtures(instance);
  const faults: string[] = [];
  const costs: (Cost & { name: string })[] = [];
  try {
    const meter = await createMeter(instance, fixtures);
    for (const sample of samplesOf(document, resolve, { oneOf, seed })) {
      const { route, place } = sample;
      const name = `${route}, ${place.name} of ${place.size}`;
      const memory = meter.memory();
      const cost = await meter.costOf(sample, place.size);
      costs.push({ name, ...cost });
      faults.push(...(await faultsOf(meter, sample, { cost, memory })).map((fault) => `${name}: ${fault}`));
    }
    faults.push(...meter.failed);
    return { places: costs.length, ...meter.counts, idleRate: meter.idleRate, costs: sorted(costs), faults };
  } finally {
    await fixtures.close();
  }
}

type Meter = Awaited<ReturnType<typeof createMeter>>;

/** Sends requests to an instance and measures what they cost all its processes. */
async function createMeter(instance: Instance, fixtures: Awaited<ReturnType<typeof createFixtures>>) {
  const { gateway } = await endpointsOf(instance);
  const counts = { sent: 0, accepted: 0 };
  const failed: string[] = [];
  const cpuSeconds = (): number => cpuSecondsOf(processesOf(instance.data));
  const memory = (): Map<number, number> =>
    new Map(processesOf(instance.data).map(({ pid }) => [pid, memoryOf(pid).rss]));

  const idleRates = [];
  for (let tries = 0; tries < 3; tries += 1) {
    const [from, before] = [performance.now(), cpuSeconds()];
    await sleep(idleMs);
    idleRates.push((cpuSeconds() - before) / (performance.now() - from));
  }
  /** Processor time that the instance uses without requests, in seconds per millisecond. */
  const idleRate = Math.min(...idleRates);

  /** Until all processes together use little more than without requests; work that never ends is part of the cost. */
  const untilQuiet = async (): Promise<void> => {
    for (let tries = 0; tries < 50; tries += 1) {
      const [from, before] = [performance.now(), cpuSeconds()];
      await sleep(200);
      if (cpuSeconds() - before <= 0.02 + 2 * idleRate * (performance.now() - from)) return;
    }
  };

  const prepared = async ({ route, entry, place }: Sample, piece: string, size: number) => {
    // Every person has limits of their own.
    const caller = { ...(await fixtures.person('super_admin')), role: 'super_admin' as const };
    const relation = 'own' in entry.expects ? 'own' : 'none';
    const ids = await fixtures.things(relation, caller, requirementsOf(route, entry));
    const filled = { ...entry, send: () => place.put(entry.send?.(ids) ?? {}, piece, size) };
    const { target, init } = requestOf(route, filled, ids);
    const { base, headers } = gateway(route, caller);
    return { url: base + target, init: { ...init, headers: { ...init.headers, ...headers } } };
  };

  return {
    counts,
    idleRate,
    failed,
    memory,
    /** The cost of a request with each of the pieces. @param since memory at an earlier time */
    costOf: async (sample: Sample, size: number, since?: Map<number, number>): Promise<Cost> => {
      const requests = [];
      for (const piece of sample.place.pieces) requests.push(await prepared(sample, piece, size));
      await untilQuiet();
      const before = since ?? memory();
      for (const pid of before.keys()) forgetPeak(pid);
      const [from, secondsBefore] = [performance.now(), cpuSeconds()];
      let accepted = 0;
      for (const { url, init } of requests) {
        const status = await send(url, init).catch((error: unknown) => String(error));
        if (typeof status === 'string' || status === 500)
          failed.push(`${sample.route}, ${sample.place.name}: ${status}`);
        else if (status < 400) accepted += 1;
      }
      await untilQuiet();
      counts.sent += requests.length;
      counts.accepted += accepted;
      const used = cpuSeconds() - secondsBefore - idleRate * (performance.now() - from);
      const growths = processesOf(instance.data).map(({ pid }) => memoryOf(pid).peak - (before.get(pid) ?? 0));
      return { cpuSeconds: used, peakBytes: Math.max(...growths), accepted };
    },
  };
}

/** What is wrong with the cost of a place. Only what is measured twice counts. */
async function faultsOf(
  meter: Meter,
  { place, ...rest }: Sample,
  { cost, memory }: { cost: Cost; memory: Map<number, number> },
): Promise<string[]> {
  const faults: string[] = [];
  if (cost.peakBytes > unsuspiciousBytes) {
    const again = await meter.costOf({ place, ...rest }, place.size, memory);
    if (again.peakBytes > unsuspiciousBytes) faults.push(`${Math.round(again.peakBytes / megabyte)} MiB more memory`);
  }
  if (cost.cpuSeconds <= leastSeconds) return faults;
  for (const piece of place.pieces) {
    const sample = { ...rest, place: { ...place, pieces: [piece] } };
    const growth = await growthOf(meter, sample);
    if (growth > mostGrowth) faults.push(`${growth.toFixed(1)} times the time of a quarter with '${piece}'`);
  }
  return faults;
}

/**
 * The processor time of a request divided by that of a request of a quarter of the size. Disturbances add to both: the least of
 * three measurements of the whole, and the most of three of the quarter.
 */
async function growthOf(meter: Meter, sample: Sample): Promise<number> {
  const { size } = sample.place;
  const secondsOf = async (of: number): Promise<number> => (await meter.costOf(sample, of)).cpuSeconds;
  let [whole, quarter, growth] = [Infinity, unsuspiciousSeconds, Infinity];
  for (let tries = 0; tries < 3 && growth > mostGrowth; tries += 1) {
    whole = Math.min(whole, await secondsOf(size));
    if (whole <= leastSeconds) return 0;
    quarter = Math.max(quarter, await secondsOf(Math.ceil(size / 4)));
    growth = whole / quarter;
  }
  return growth;
}

function sorted(costs: readonly (Cost & { name: string })[]): string[] {
  return costs
    .toSorted((left, right) => right.cpuSeconds - left.cpuSeconds)
    .map(
      ({ name, cpuSeconds, peakBytes, accepted }) =>
        `${name}: ${cpuSeconds.toFixed(2)} s, ${Math.round(peakBytes / megabyte)} MiB, ${accepted} accepted`,
    );
}

/** Another seed chooses other places, and other pieces for the same places. */
function samplesOf(document: Document, resolve: Resolve, { oneOf, seed }: Choice): Sample[] {
  const chosen = choose(placesOf(document, resolve), { oneOf, seed });
  if (oneOf === 1) return chosen;
  return chosen.map(({ place, ...rest }, at) => {
    const some = choose(place.pieces, { oneOf: Math.min(4, place.pieces.length), seed: Math.floor(seed / oneOf) + at });
    return { ...rest, place: { ...place, pieces: some } };
  });
}

function placesOf({ paths }: Document, resolve: Resolve): Sample[] {
  return Object.entries(table).flatMap(([route, entry]) => {
    const [method = '', path = ''] = route.split(' ');
    const operation = paths[path]?.[method.toLowerCase()];
    if (!operation) return [];
    const body = operation.requestBody?.content['application/json']?.schema;
    return [...(body ? bodyPlaces(body, [], resolve) : []), ...queryPlaces(operation, resolve)].map((place) => ({
      route,
      entry,
      place,
    }));
  });
}

/** The texts and lists of a schema; `path` leads to it, with 0 for the items of a list. */
function bodyPlaces(schema: Schema, path: readonly (string | 0)[], resolve: Resolve): Place[] {
  const resolved = resolve(schema);
  const choices = resolved.anyOf ?? resolved.oneOf;
  if (choices) return choices.flatMap((choice) => bodyPlaces(choice, path, resolve));
  const types = [resolved.type ?? []].flat();
  const name = path.join('.');
  if (types.includes('string') && takesText(resolved)) {
    const put = (sent: Sent, piece: string, size: number) => ({
      ...sent,
      json: changed(sent.json, path, () => repeated(piece, size)),
    });
    return [{ name, pieces, size: Math.min(resolved.maxLength ?? longestText, longestText), put }];
  }
  if (types.includes('array')) {
    const items = resolve(resolved.items ?? {});
    const put = (sent: Sent, piece: string, size: number) => ({
      ...sent,
      json: changed(sent.json, path, (old) => Array.from({ length: size }, (_, at) => itemOf(items, old, piece, at))),
    });
    // Only texts differ by the piece.
    const isOfTexts = [items.type].flat().includes('string') && takesText({ ...items, maxLength: longestText });
    const list: Place = {
      name: `${name}[]`,
      pieces: isOfTexts ? pieces : ['a'],
      size: Math.min(resolved.maxItems ?? longestList, longestList),
      put,
    };
    return [list, ...bodyPlaces(items, [...path, 0], resolve)];
  }
  return Object.entries(resolved.properties ?? {}).flatMap(([key, field]) =>
    bodyPlaces(field, [...path, key], resolve),
  );
}

function queryPlaces({ parameters = [] }: Operation, resolve: Resolve): Place[] {
  return parameters
    .filter(({ in: where, schema }) => where === 'query' && takesText(resolve(schema)))
    .map(({ name, schema }) => ({
      name: `?${name}`,
      pieces,
      size: Math.min(resolve(schema).maxLength ?? longestQuery, longestQuery),
      put: (sent, piece, size) => {
        const query = new URLSearchParams(sent.query);
        query.set(name, repeated(piece, size));
        return { ...sent, query: query.toString() };
      },
    }));
}

function takesText({ type, format, enum: values, const: value, maxLength = longestText }: Schema): boolean {
  return [type].flat().includes('string') && !format && !values && value === undefined && maxLength >= 16;
}

function repeated(piece: string, size: number): string {
  return piece
    .repeat(Math.ceil(size / piece.length))
    .slice(0, size)
    .toWellFormed();
}

/** An item like those of the valid request, and different from the other items where it is a text or an id. */
function itemOf({ type, format, enum: values }: Schema, old: unknown, piece: string, at: number): unknown {
  const first = Array.isArray(old) ? (old[0] as unknown) : undefined;
  if (values) return values[at % values.length];
  if (format === 'uuid') return randomUUID();
  if (type === 'string') return `${piece}${at}`;
  return first ?? (type === 'number' || type === 'integer' ? at : {});
}

/** A copy of a JSON value in which the value at a path is another. */
function changed(value: unknown, [key, ...rest]: readonly (string | 0)[], change: (old: unknown) => unknown): unknown {
  if (key === undefined) return change(value);
  if (key === 0) return [changed(Array.isArray(value) ? value[0] : undefined, rest, change)];
  const fields = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  return { ...fields, [key]: changed(fields[key], rest, change) };
}

function forgetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // The process has ended, or belongs to another user.
  }
}

function send(
  url: string,
  { method, headers, body }: { method: string; headers: Record<string, string>; body?: string },
): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { method, headers, agent: false as const, timeout: longestAnswerMs };
    const sending = request(url, options, (response) => {
      response.on('error', reject).on('end', () => resolve(response.statusCode ?? 0));
      response.resume();
    });
    sending.on('timeout', () => sending.destroy(new Error('no answer within two minutes')));
    sending.on('error', reject).end(body);
  });
}
