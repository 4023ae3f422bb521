import { randomInt } from 'node:crypto';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { abandonment } from './abandonment.e2e.ts';
import { authorisation } from './authorisation/authorisation.e2e.ts';
import { badInputs } from './bad-input.e2e.ts';
import { badUploads } from './bad-uploads.e2e.ts';
import { brokerWiped } from './broker-wiped.e2e.ts';
import { inTheBrowser } from './browser.e2e.ts';
import { carelessInTheBrowser } from './careless-browser.e2e.ts';
import { chaos } from './chaos.e2e.ts';
import { startCollector } from './collector.ts';
import { makeRecordings, type Context, type ScriptedContext, type ServedContext } from './context.ts';
import { diskFull } from './disk-full.e2e.ts';
import { frozen } from './frozen.e2e.ts';
import { frozenStores } from './frozen-stores.e2e.ts';
import { createInstance, type Instance } from './instance.ts';
import { killing } from './kill.e2e.ts';
import { libraryInTheBrowser } from './library-browser.e2e.ts';
import { lifecycle } from './lifecycle.e2e.ts';
import { longBesideShort } from './long-beside-short.e2e.ts';
import { mainJob } from './main-job.e2e.ts';
import { orphaned } from './orphan.e2e.ts';
import { peopleInTheBrowser } from './people-browser.e2e.ts';
import { push } from './push.e2e.ts';
import { queuesInTheBrowser } from './queues-browser.e2e.ts';
import { replicas } from './replicas/replicas.e2e.ts';
import { rolling } from './rolling.e2e.ts';
import { runSuite, type Suite, type Tally } from './runner.ts';
import { scriptedInstance } from './scripted.ts';
import { endedSessions } from './sessions.e2e.ts';
import { signals } from './signals.e2e.ts';
import { settingsInTheBrowser } from './settings-browser.e2e.ts';
import { slowClients } from './slow-clients.e2e.ts';
import { createStores } from './stores.ts';
import { syncInTheBrowser } from './sync-browser.e2e.ts';
import { sweeping } from './sweep.e2e.ts';
import { sweepKilling } from './sweep-kill.e2e.ts';
import { tenHours } from './ten-hours.e2e.ts';

const help = `Checks a running Overtone through its public interfaces.
  node packages/e2e/src/run.main.ts [SUITE...] [--screenshots DIR] [--data DIR]
  --screenshots DIR  store the screenshots of the browser checks there
  --data DIR         use this data folder for the first instance and leave it running, instead of a new one that is removed
Suites: main-job browser people-browser settings-browser sync-browser ten-hours push bad-uploads abandonment slow-clients authorisation sessions sweep bad-input
on an instance with a scripted engine: careless-browser queues-browser library-browser signals disk-full frozen orphan rolling broker-wiped chaos long-beside-short
on an instance with an object store and a search server: replicas frozen-stores
on an instance whose processes are killed: sweep-kill kill lifecycle
Default: all.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { screenshots: { type: 'string' }, data: { type: 'string' }, help: { type: 'boolean' } },
});
if (values.help) {
  console.log(help);
  process.exit(0);
}

function numberFrom(name: string, defaultValue: number): number {
  return Number(process.env[name] ?? defaultValue);
}

const chaosOptions = {
  faults: numberFrom('OT_CHAOS_BLOWS', 20),
  files: numberFrom('OT_CHAOS_FILES', 10),
  seed: numberFrom('OT_CHAOS_SEED', randomInt(1_000_000)),
};
const maxUploadBytes = 32 * 1024 * 1024;
const suites: Record<string, (context: Context) => Suite> = {
  'main-job': mainJob,
  browser: inTheBrowser,
  'people-browser': peopleInTheBrowser,
  'settings-browser': settingsInTheBrowser,
  'sync-browser': syncInTheBrowser,
  'ten-hours': tenHours,
  push,
  'bad-uploads': (context) => badUploads(context, maxUploadBytes),
  abandonment: (context) => abandonment(context, numberFrom('OT_ABANDON_CASES', 3)),
  'slow-clients': (context) => slowClients(context, numberFrom('OT_SLOW_CLIENTS', 300)),
  authorisation,
  sessions: endedSessions,
  sweep: sweeping,
  // Its requests create and change accounts, so it runs after the suites that count them.
  'bad-input': badInputs,
};
const killingSuites: Record<string, (context: Context) => Suite> = {
  'sweep-kill': sweepKilling,
  kill: killing,
  lifecycle,
};
/** Suites on an instance with a scripted engine, because they would disturb the first one or take too long. */
const scriptedSuites: Record<string, (context: ScriptedContext) => Suite> = {
  'careless-browser': (context) => carelessInTheBrowser(context, numberFrom('OT_CARELESS_ACTS', 1)),
  'queues-browser': queuesInTheBrowser,
  'library-browser': libraryInTheBrowser,
  signals,
  'disk-full': diskFull,
  frozen,
  orphan: orphaned,
  rolling: (context) => rolling(context, 4),
  'broker-wiped': (context) => brokerWiped(context, numberFrom('OT_WIPED_FILES', 5)),
  chaos: (context) => chaos(context, chaosOptions),
  'long-beside-short': longBesideShort,
};
/** Suites about features of a Kubernetes installation: an object store, a search server and replicas. */
const servedSuites: Record<string, (context: ServedContext) => Suite> = {
  replicas,
  'frozen-stores': frozenStores,
};
const known = [suites, scriptedSuites, servedSuites, killingSuites].flatMap((group) => Object.keys(group));
const wanted = positionals.length > 0 ? positionals : known;
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`No such suite: ${unknown.join(', ')}\n${help}`);
  process.exit(2);
}

const screenshots = values.screenshots
  ? resolve(values.screenshots)
  : mkdtempSync(join(tmpdir(), 'overtone-screenshots-'));
mkdirSync(screenshots, { recursive: true });
const scripted = scriptedInstance();
const stores = createStores();
const served = scriptedInstance(stores.environment);
const collector = await startCollector();
const environment = {
  MAX_UPLOAD_BYTES: String(maxUploadBytes),
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
  OTEL_BSP_SCHEDULE_DELAY: '500',
};
const instance = await createInstance(environment, values.data && resolve(values.data));
const killed = await createInstance(environment);
let stopping: Promise<void> | undefined;

function stop(): Promise<void> {
  stopping ??= (async () => {
    await Promise.all([scripted.remove(), served.remove(), killed.remove()]);
    await stores.stop();
    if (!values.data) await instance.remove();
    collector.close();
  })();
  return stopping;
}
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stop().then(() => process.exit(1)));

const total: Tally = { passed: 0, failed: [] };

async function run(suite: Suite, evidence: () => Promise<string>, print: (line: string) => void): Promise<void> {
  const tally = await runSuite(suite, evidence, print);
  total.passed += tally.passed;
  total.failed.push(...tally.failed);
}

/** Prints the lines of a suite at its end, so that the output of concurrent suites is not mixed. */
async function printAtEnd(work: (print: (line: string) => void) => Promise<void>): Promise<void> {
  const lines: string[] = [];
  await work((line) => lines.push(line));
  console.log(lines.join('\n'));
}

const recordings = await makeRecordings();
const wantedOf = (group: object): string[] => wanted.filter((name) => name in group);
const isMixed = wanted.some((name) => !(name in suites));
const withOutput = isMixed ? printAtEnd : (work: Parameters<typeof printAtEnd>[0]) => work(console.log);

/** An unexpected exit of a service fails the run. */
async function recordFaults(source: { faults: () => Promise<string[]> }): Promise<void> {
  total.failed.push(...(await source.faults()).map((fault) => `a service failed: ${fault}`));
}

async function start(started: Instance): Promise<boolean> {
  const { code, seconds, output } = await started.up();
  if (code === 0) console.log(`up in ${seconds.toFixed(1)} s at ${started.baseUrl}`);
  else {
    console.error(`./overtone up ended with ${code}:\n${output}\n${await started.logsTail()}`);
    total.failed.push('./overtone up');
  }
  return code === 0;
}

/** Runs the suites of a group one after another. */
async function runGroup<C>(
  group: Record<string, (context: C) => Suite>,
  context: C,
  source: { logsTail: () => Promise<string>; faults: () => Promise<string[]> },
): Promise<void> {
  for (const name of wantedOf(group))
    await withOutput((print) => run(group[name]!(context), () => source.logsTail(), print));
  await recordFaults(source);
}

async function runKillingSuites(): Promise<void> {
  if (wantedOf(killingSuites).length === 0 || !(await start(killed))) return;
  await runGroup(killingSuites, { instance: killed, collector, recordings, screenshots }, killed);
}

// The other instances select their ports after the first has bound its own. At most three run at the same time.
if (wantedOf(suites).length === 0 || (await start(instance))) {
  const runServed = () => runGroup(servedSuites, { scripted: served, stores, recordings, screenshots }, served);
  await Promise.all([
    runGroup(suites, { instance, collector, recordings, screenshots }, instance),
    runGroup(scriptedSuites, { scripted, recordings, screenshots }, scripted),
    runServed()
      .then(() => served.remove())
      .then(runKillingSuites),
  ]);
}
await recordings.remove();
await stop();
for (const failure of total.failed) console.log(`FAIL  ${failure}`);
console.log(`${total.passed} passed, ${total.failed.length} failed`);
process.exit(total.failed.length === 0 ? 0 : 1);
