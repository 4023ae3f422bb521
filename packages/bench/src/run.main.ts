import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createInstance, type Instance } from '@overtone/e2e/instance';
import { lineOf, tableOf, type Bench, type Row } from './bench.ts';
import { besideBench } from './beside.bench.ts';
import { directoryBench } from './directory.bench.ts';
import { diarizationBench } from './diarization.bench.ts';
import { jobsBench } from './jobs.bench.ts';
import { mappingsBench } from './mappings.bench.ts';
import { editorBench } from './editor.bench.ts';
import { pipelineBench } from './pipeline.bench.ts';
import { queueBench } from './queue.bench.ts';
import { askBench } from './ask.bench.ts';
import { redactionBench } from './redaction.bench.ts';
import { relevanceBench } from './relevance.bench.ts';
import { restoreBench } from './restore.bench.ts';
import { routingBench } from './routing.bench.ts';
import { searchBench } from './search.bench.ts';
import { signInBench } from './sign-in.bench.ts';
import { signInTimingBench } from './sign-in-timing.bench.ts';
import { socketsBench } from './sockets.bench.ts';
import { speechBench } from './speech.bench.ts';
import { startBench } from './start.bench.ts';
import { summariesBench } from './summaries.bench.ts';
import { directorySyncBench } from './directory-sync.bench.ts';
import { typistBench } from './typist.bench.ts';
import { uploadBench } from './upload.bench.ts';
import { voicesBench } from './voices.bench.ts';
import { watchBench } from './watch.bench.ts';

const benches: readonly Bench[] = [
  startBench,
  routingBench,
  uploadBench,
  pipelineBench,
  editorBench,
  typistBench,
  jobsBench,
  queueBench,
  besideBench,
  socketsBench,
  searchBench,
  mappingsBench,
  directoryBench,
  signInBench,
  signInTimingBench,
  directorySyncBench,
  restoreBench,
  redactionBench,
  summariesBench,
  relevanceBench,
  askBench,
  diarizationBench,
  speechBench,
  voicesBench,
  watchBench,
];

const { positionals: names, values } = parseArgs({ allowPositionals: true, options: { qmsum: { type: 'string' } } });
const meetings = values.qmsum ?? process.env['OT_BENCH_QMSUM'] ?? null;
const wanted = benches.filter(({ name }) => names.length === 0 || names.includes(name));
if (wanted.length === 0) {
  console.error(
    `No such bench: ${names.join(', ')}. There are:\n${benches.map(({ name, about }) => `  ${name.padEnd(10)} ${about}`).join('\n')}`,
  );
  process.exit(2);
}

/** Waits until the first start has converted the word vectors, because the conversion would affect measurements. */
async function untilSettled({ data }: Instance): Promise<void> {
  const vectors = join(process.env['MODEL_CACHE_DIR'] ?? join(data, 'models'), 'word-vectors');
  const done = () =>
    readdir(vectors).then(
      (names) => names.some((name) => name.endsWith('.bin')),
      () => false,
    );
  for (let waited = 0; waited < 180 && !(await done()); waited++) await sleep(1_000);
}

const size = Number(process.env['BENCH_SIZE'] ?? 1);
const folder = await mkdtemp(join(tmpdir(), 'overtone-bench-'));
const made = new Set<Instance>();

async function another(environment: Record<string, string>): Promise<Instance> {
  const fresh = await createInstance(environment);
  made.add(fresh);
  const started = await fresh.up();
  if (started.code !== 0) throw new Error(`./overtone up ended with ${started.code}:\n${started.output}`);
  await untilSettled(fresh);
  const remove = async (): Promise<void> => {
    made.delete(fresh);
    await fresh.remove();
  };
  return { ...fresh, remove };
}
let shared: Promise<Instance> | undefined;

function instance(): Promise<Instance> {
  return (shared ??= another({}));
}

async function clean(): Promise<void> {
  for (const one of made) await one.remove();
  await rm(folder, { recursive: true, force: true });
}
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void clean().then(() => process.exit(1)));

const rows: Row[] = [];
const failed: string[] = [];
for (const bench of wanted) {
  console.error(`${bench.name}: ${bench.about} ...`);
  try {
    for await (const row of bench.run({ size, instance, another, folder, meetings })) {
      rows.push(row);
      console.log(lineOf(row));
    }
  } catch (error) {
    console.error(error);
    failed.push(`${bench.name}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
await clean().catch((error: unknown) => failed.push(`removing the instances: ${String(error)}`));
console.log(`\n${tableOf(rows)}`);
for (const why of failed) console.log(`FAILED  ${why}`);
process.exit(failed.length === 0 && rows.every(({ met = true }) => met) ? 0 : 1);
