// `./overtone test gpu`: speech on the NVIDIA GPU of this machine, with real models and real recordings, in at most eight
// minutes. Arguments: the folder of the models, where missing ones are put, and the Python environment.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { defaultsOf, engineSettings, type EngineSettings, type Word, type workerPools } from '@overtone/contracts';
import {
  countErrors,
  entryOf,
  listInstalled,
  normaliseWords,
  pullModel,
  readCatalogue,
  suitableModels,
} from '@overtone/models';
import { bytesPerSecond, readPcm, wavHeader, wavSeconds } from '../src/audio/wav.ts';
import { createAcousticDiarizer } from '../src/diarization/acoustic.adapter.ts';
import type { SpeechEngine } from '../src/engines/engines.ts';
import { childEnvironment, defaultSpeechEnvironment } from '../src/env.ts';
import { createFasterWhisperEngines } from '../src/faster-whisper/faster-whisper.ts';
import { createGpu, createProcessors, type Processors } from '../src/gpu/gpu.ts';
import { wishesOf } from '../src/gpu/tuning.ts';
import { createNeuralDiarizer } from '../src/sherpa/diarizer.adapter.ts';
import { createSherpaRuntime } from '../src/sherpa/runtime.ts';
import { useOf } from '../src/sherpa/sherpa.ts';
import { waitFor } from '@overtone/testkit';
import { cards, librivox } from './utterances.ts';

const limitMs = 8 * 60_000;
const startedAt = performance.now();
const tools = join(import.meta.dirname, '../../../.tools');
const [cacheDir = join(tools, 'test-models'), environment = defaultSpeechEnvironment] = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'overtone-gpu-'));
// Empty at first: the first start compiles what the library has no code of this GPU for.
const env = childEnvironment(folder);
const settings = defaultsOf(engineSettings);
const gpu = createGpu({ env, wishes: () => wishesOf(settings) });
const engines: SpeechEngine[] = [];
let failed = 0;

try {
  await gpu.processors.look();
  const { devices, note } = gpu.processors.state();
  const [device] = devices;
  if (device === undefined) throw new Error(note ?? 'No GPU was found');
  say(`${device.name}, ${device.memory_mib} MiB, capability ${device.capability}`);
  await testGpu(await speechModel(device.memory_mib));
} catch (error) {
  failed += 1;
  say(`✗ ${error instanceof Error ? error.message : String(error)}`);
} finally {
  for (const engine of engines) engine.close();
  await rm(folder, { recursive: true, force: true });
}
say(`${failed} failed, ${secondsSince(startedAt).toFixed(0)} s`);
process.exit(failed > 0 || performance.now() - startedAt > limitMs ? 1 : 0);

async function testGpu(model: string): Promise<void> {
  const tuning = gpu.processors.tuningOf(model);
  say(
    `${model}; values of the tables: transcription on the ${tuning.transcribe_on}, diarization on the ${tuning.diarize_on}, ` +
      `BATCH_SIZE ${tuning.batch_size}, COMPUTE_TYPE ${tuning.compute_type}, hybrid ${tuning.hybrid}`,
  );
  const spoken = librivox.map(({ text }) => text).join(' ');
  const sentences = await joinSounds(librivox.map(({ file }) => file));
  const times = Math.ceil(600 / sentences.seconds);
  const long = {
    ...(await joinSounds(Array.from({ length: times }, () => sentences.wavPath))),
    spoken: Array.from({ length: times }, () => spoken).join(' '),
  };
  const onGpu = start(model);
  let words: Word[] = [];
  let longWords: Word[] = [];
  let batchMib = { baselineMib: 0, peakMib: 0 };
  const usedBefore = await usedMib();

  await check('the model loads on the GPU, and the library does not fall back to the CPU', async () => {
    const began = performance.now();
    assert.deepEqual(await onGpu.check(), { ready: true });
    assert.equal(onGpu.processors?.state().note, null);
    assert.equal(onGpu.tuning?.transcribe_on, 'gpu');
    return `first start ${secondsSince(began).toFixed(1)} s`;
  });
  await check('a reading has at most one word in ten wrong, and the text is that of the CPU', async () => {
    const measured = await transcribe(onGpu, sentences);
    words = measured.words;
    const wrong = errorsIn(textOf(words), spoken);
    const count = normaliseWords(spoken).length;
    assert.ok(wrong <= count / 10, `${wrong} of ${count} words are wrong`);
    const onCpu = start(model, { processors: withoutGpu() });
    assert.deepEqual(await onCpu.check(), { ready: true });
    const compared = await transcribe(onCpu, sentences);
    onCpu.close();
    assertSame(words, compared.words, 0.02);
    return `${wrong} of ${count} words wrong; GPU ${measured.figures}; CPU ${compared.figures}`;
  });
  await check('ten minutes are transcribed with the batch of the table', async () => {
    const measured = await transcribe(onGpu, long);
    longWords = measured.words;
    if (measured.memory) batchMib = measured.memory;
    const errors = errorsIn(textOf(longWords), long.spoken);
    assert.ok(errors <= longWords.length / 10, `${errors} of ${longWords.length} words are wrong`);
    return measured.figures;
  });
  await check('ten minutes are transcribed piece by piece, with the same text', async () => {
    const single = start(model, { changed: { batch_size: 1 } });
    await single.check();
    const measured = await transcribe(single, long);
    single.close();
    assertSame(measured.words, longWords, 0.03);
    return measured.figures;
  });
  for (const pool of ['prefork', 'threads'] as const)
    await check(`two recordings at once have the text of one alone (GPU_WORKER_POOL=${pool})`, async () => {
      const shared = start(model, { changed: { gpu_concurrency: 2 }, pool });
      await shared.check();
      // Loads the model, or the models.
      await Promise.all([transcribe(shared, sentences), transcribe(shared, sentences)]);
      const both = await Promise.all([transcribe(shared, long), transcribe(shared, long)]);
      shared.close();
      for (const one of both) assertSame(one.words, longWords, 0.005);
      return both.map(({ figures }) => figures).join('; ');
    });
  await check('two readers are separated', async () => {
    const turns = [librivox[0], cards[4], librivox[2], cards[1], librivox[3], cards[4]];
    const talk = await joinSounds(turns.flatMap((turn) => turn?.file ?? []));
    const { processors } = gpu;
    const use = () => useOf(settings, gpu);
    const runtime = createSherpaRuntime({
      modelCacheDir: cacheDir,
      allowUnverified: false,
      env,
      processors,
      pool: 'prefork',
      use,
    });
    const diarizer = createNeuralDiarizer(runtime, createAcousticDiarizer({ env }));
    const began = performance.now();
    const found = await diarizer.diarize({ ...talk, minSpeakers: null, maxSpeakers: null }).finally(runtime.close);
    const speakers = new Set(found.turns.map(({ speaker }) => speaker)).size;
    assert.equal(speakers, 2);
    const { note } = gpu.processors.state();
    return `${found.provider}, ${speedOf(talk.seconds, began)}${note === null ? '' : `; ${note}`}`;
  });
  await check('a GPU with room for a small batch only gives the same text', async () => {
    await allEnded(usedBefore);
    const room = Math.round((batchMib.baselineMib + batchMib.peakMib) / 2);
    const measured = await besideFullMemory(room, () => transcribe(start(model), long));
    assertSame(measured.words, longWords, 0.03);
    return measured.figures;
  });
  await check('a full GPU leaves the recording to the CPU, and the next recording uses the GPU again', async () => {
    await allEnded(usedBefore);
    const engine = start(model);
    assert.deepEqual(await engine.check(), { ready: true });
    const squeezed = await besideFullMemory(64, () => transcribe(engine, sentences));
    assertSame(squeezed.words, words, 0.05);
    const after = await transcribe(engine, sentences);
    assertSame(after.words, words, 0.005);
    return `full ${squeezed.figures}; after it ${after.figures}`;
  });
  await check('the memory of the GPU is given back when the worker ends', async () => {
    return `${await allEnded(usedBefore)} MiB in use, ${usedBefore} before the first start`;
  });
}

/** Ends every engine, and waits until the driver has the memory back. @returns MiB in use */
async function allEnded(usedBefore: number): Promise<number> {
  for (const engine of engines.splice(0)) engine.close();
  const seen = async () => {
    const used = await usedMib();
    if (used > usedBefore + 64) throw new Error(`${used} MiB are in use, ${usedBefore} before the first start`);
    return { used };
  };
  return (await waitFor(seen, { intervalMs: 500 })).used;
}

async function usedMib(): Promise<number> {
  const meter = await gpu.meter.start();
  if (!meter) throw new Error('The driver does not report the memory of this GPU');
  return meter.stop().baselineMib;
}

type Sound = { wavPath: string; seconds: number };
type Measured = { words: Word[]; figures: string; memory: { baselineMib: number; peakMib: number } | undefined };
type StartOptions = {
  changed?: Partial<EngineSettings>;
  pool?: (typeof workerPools)[number];
  processors?: Processors;
};

function start(model: string, { changed = {}, pool = 'prefork', processors }: StartOptions = {}): SpeechEngine {
  const own = { ...settings, ...changed };
  const engine = createFasterWhisperEngines({
    modelCacheDir: cacheDir,
    allowUnverified: false,
    environment,
    env,
    processors: processors ?? createGpu({ env, wishes: () => wishesOf(own) }).whisperProcessors,
    settings: () => own,
    pool,
  })(model);
  engines.push(engine);
  return engine;
}

function withoutGpu(): Processors {
  const probe = { look: () => Promise.resolve({ devices: [], note: null }) };
  return createProcessors({ probe, wishes: () => wishesOf(settings) });
}

async function transcribe(engine: SpeechEngine, { wavPath, seconds }: Sound): Promise<Measured> {
  await engine.check();
  const meter = await gpu.meter.start();
  const began = performance.now();
  const { words } = await engine.transcribe({ wavPath, seconds, language: 'en' });
  const memory = meter?.stop();
  const range = memory === undefined ? '' : `, ${memory.baselineMib} to ${memory.peakMib} MiB`;
  return { words, memory, figures: `${speedOf(seconds, began)}${range}` };
}

/** While another program leaves this much of the GPU's memory. */
async function besideFullMemory<T>(leaveMib: number, run: () => Promise<T>): Promise<T> {
  const script = join(import.meta.dirname, 'fill_memory.py');
  const other = spawn('python3', [script, String(leaveMib)], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(other, 'exit');
  try {
    const [first] = (await Promise.race([once(createInterface(other.stdout), 'line'), ended])) as [unknown];
    if (!String(first).startsWith('left')) throw new Error('The memory of the GPU could not be filled');
    return await run();
  } finally {
    other.stdin.end();
    await ended;
  }
}

/** Recordings one after another, with half a second after each. */
async function joinSounds(files: readonly string[]): Promise<Sound> {
  const parts: Buffer[] = [];
  for (const file of files) {
    const samples = await readPcm(file, 0, await wavSeconds(file));
    parts.push(Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength), Buffer.alloc(bytesPerSecond / 2));
  }
  const sound = Buffer.concat(parts);
  const wavPath = join(folder, `${sound.byteLength}.wav`);
  await writeFile(wavPath, Buffer.concat([wavHeader(sound.byteLength), sound]));
  return { wavPath, seconds: sound.byteLength / bytesPerSecond };
}

function textOf(words: readonly Word[]): string {
  return words.map(({ word }) => word).join(' ');
}

function errorsIn(text: string, reference: string): number {
  return countErrors([reference], text).reduce((sum, { errors }) => sum + errors, 0);
}

/** Numbers are rounded otherwise in another batch and on another processor, so that single words may differ. */
function assertSame(words: readonly Word[], expected: readonly Word[], share: number): void {
  const errors = errorsIn(textOf(words), textOf(expected));
  assert.ok(errors <= Math.max(1, expected.length * share), `${errors} of ${expected.length} words differ`);
}

/** The installed speech model, or the best one for this GPU that can be had; with the models for speakers. */
async function speechModel(memoryMib: number): Promise<string> {
  const installed = await listInstalled(cacheDir);
  const catalogue = await readCatalogue();
  const pull = (name: string) => pullModel({ cacheDir, entry: entryOf(catalogue, name), acceptLicence: true });
  for (const name of ['pyannote-segmentation-3.0', 'campplus-zh-en'])
    if (!installed.some((model) => model.name === name)) await pull(name);
  const there = installed.find(({ family, fault }) => family === 'faster-whisper' && fault === null);
  if (there) return there.name;
  const machine = { cores: availableParallelism(), memoryBytes: totalmem(), gpuMemoryMib: memoryMib };
  for (const { name } of suitableModels(machine, catalogue)) {
    try {
      await pull(name);
      return name;
    } catch (error) {
      say(`${name}: ${(error as Error).message}`);
    }
  }
  throw new Error('No speech model could be fetched');
}

async function check(rule: string, run: () => Promise<string>): Promise<void> {
  try {
    const figures = await run();
    say(`✓ ${rule}: ${figures}`);
  } catch (error) {
    failed += 1;
    say(`✗ ${rule}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function speedOf(seconds: number, began: number): string {
  const taken = secondsSince(began);
  return `${taken.toFixed(2)} s (${(seconds / taken).toFixed(0)} times real time)`;
}

function secondsSince(began: number): number {
  return (performance.now() - began) / 1000;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
