import { mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from '@playwright/test';
import { startCollector, type Collector } from './collector.ts';
import { createInstance, usedCpuSeconds, type Instance } from './instance.ts';
import { record, type Recording } from '@overtone/testkit/recordings';
import { convert, cooking, film, meeting, realVoices } from './recordings.ts';
import { makeReleases, type Releases } from './releases.ts';
import { scriptedInstance } from './scripted.ts';
import { createStores } from './stores.ts';
import { createDeferred } from './suite.ts';

/** Recordings with known content. */
export type Recordings = {
  folder: string;
  meeting: Recording;
  cooking: Recording;
  /** Two turns, for jobs that are interrupted many times. */
  brief: Recording;
  real: Recording;
  /** The meeting as MP3 and as a video. */
  mp3: string;
  video: string;
};
type Shared = { recordings: Recordings; screenshots: string };
/** The context of suites on an instance with a real speech engine. */
export type Context = Shared & { instance: Instance; collector: Collector };
/** The context of suites on an instance with the scripted engine. */
export type ScriptedContext = Shared & { scripted: ReturnType<typeof scriptedInstance> };
/** The context of suites on an instance with an object store and a search server, as on Kubernetes. */
export type ServedContext = ScriptedContext & { stores: ReturnType<typeof createStores> };

/** The context of suites on an instance of a clone with releases. */
export type UpdatedContext = ScriptedContext & { releases: () => Promise<Releases> };

export const maxUploadBytes = 32 * 1024 * 1024;

/** The number in an environment variable. */
export function numberFrom(name: string, defaultValue: number): number {
  return Number(process.env[name] ?? defaultValue);
}

/** The context of a spec file, and the log lines that explain a failure. */
type Prepared<C> = { context: C; evidence: () => Promise<string> };

/** An instance with a real speech engine, which is started before the first test of the file and removed at its end. */
export function useProduct(): Prepared<Context> {
  const instance = createDeferred<Instance>('the instance');
  const collector = createDeferred<Collector>('the collector of spans');
  const shared = useShared();
  test.beforeAll(async () => {
    collector.set(await startCollector());
    instance.set(await createInstance(environmentOf(collector.value)));
    const { code, seconds, output } = await instance.value.up();
    if (code !== 0) throw new Error(`./overtone up ended with ${code}:\n${output}\n${await instance.value.logsTail()}`);
    console.log(`up in ${seconds.toFixed(1)} s at ${instance.value.baseUrl}`);
  });
  removeAtTheEnd(instance.value, () => collector.value.close());
  return {
    context: { ...shared, instance: instance.value, collector: collector.value },
    evidence: () => instance.value.logsTail(),
  };
}

/** One instance for suites of all kinds: with the scripted engine, except in those of `withRealEngine`. */
export function useLanding(): Prepared<Context & ScriptedContext> {
  const instance = createDeferred<Instance>('the instance');
  const collector = createDeferred<Collector>('the collector of spans');
  const scripted = scriptedInstance(async () => environmentOf(collector.value));
  const shared = useShared();
  test.beforeAll(async () => {
    collector.set(await startCollector());
    instance.set((await scripted.get()).instance);
  });
  removeAtTheEnd(scripted, () => collector.value.close());
  return {
    context: { ...shared, instance: instance.value, collector: collector.value, scripted },
    evidence: () => scripted.logsTail(),
  };
}

/** An instance with the scripted engine, which is started at first use and removed at the end of the file. */
export function useScripted(): Prepared<ScriptedContext> {
  const scripted = scriptedInstance();
  removeAtTheEnd(scripted);
  return { context: { ...useShared(), scripted }, evidence: () => scripted.logsTail() };
}

/** The same with an object store and a search server. */
export function useServed(): Prepared<ServedContext> {
  const stores = createStores();
  const scripted = scriptedInstance(stores.environment);
  removeAtTheEnd(scripted, () => stores.stop());
  return { context: { ...useShared(), scripted, stores }, evidence: () => scripted.logsTail() };
}

/** An instance of a clone whose remote has releases, with the scripted engine. */
export function useUpdated(): Prepared<UpdatedContext> {
  let made: ReturnType<typeof makeReleases> | undefined;
  const releases = () => (made ??= makeReleases());
  // The clone's launcher may not take this product for the pinned one.
  delete process.env['OVERTONE_HOME'];
  const scripted = scriptedInstance(undefined, async () => join((await releases()).home, 'overtone'));
  removeAtTheEnd(scripted, async () => (await made)?.remove());
  return { context: { ...useShared(), scripted, releases }, evidence: () => scripted.logsTail() };
}

function environmentOf({ endpoint }: Collector): Record<string, string> {
  return {
    MAX_UPLOAD_BYTES: String(maxUploadBytes),
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_BSP_SCHEDULE_DELAY: '500',
  };
}

/** An unexpected exit of a service fails the run. */
function removeAtTheEnd(
  instance: { faults: () => Promise<string[]>; remove: () => Promise<void> },
  close: () => unknown = () => {},
): void {
  test.afterAll(async () => {
    const faults = await instance.faults();
    await instance.remove();
    await close();
    // For `./overtone test --timings`.
    console.log(`instances used ${Math.round(usedCpuSeconds())} CPU seconds`);
    if (faults.length > 0) throw new Error(`a service failed: ${faults.join('\n')}`);
  });
}

/** Recordings for the suites of the file, and the folder for screenshots (`OT_SCREENSHOTS`). */
function useShared(): Shared {
  const recordings = createDeferred<Recordings>('the recordings');
  const screenshots = resolve(process.env['OT_SCREENSHOTS'] ?? join(tmpdir(), 'overtone-screenshots'));
  test.beforeAll(async () => {
    mkdirSync(screenshots, { recursive: true });
    recordings.set(await makeRecordings());
  });
  test.afterAll(() => rm(recordings.value.folder, { recursive: true, force: true }));
  return { recordings: recordings.value, screenshots };
}

async function makeRecordings(): Promise<Recordings> {
  const folder = await mkdtemp(join(tmpdir(), 'overtone-e2e-recordings-'));
  const at = (name: string): string => join(folder, name);
  const made = await record(at('meeting.wav'), meeting);
  return {
    folder,
    meeting: made,
    cooking: await record(at('cooking.wav'), cooking),
    brief: await record(at('brief.wav'), cooking.slice(0, 2)),
    real: await record(at('real voices.wav'), realVoices),
    mp3: await convert(made.path, at('Quarterly meeting.mp3')),
    video: await film(made.path, at('Quarterly meeting.mp4')),
  };
}
