import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultsOf, engineSettings } from '@overtone/contracts';
import type { Recognition } from '@overtone/models';
import { z } from 'zod';
import { createAcousticDiarizer } from './diarization/acoustic.adapter.ts';
import { createPocketSphinx } from './engines/pocketsphinx.adapter.ts';
import type { SpeechEngine } from './engines/engines.ts';
import { childEnvironment, defaultSpeechEnvironment } from './env.ts';
import { createFasterWhisperEngines } from './faster-whisper/faster-whisper.ts';
import { createGpu } from './gpu/gpu.ts';
import { wishesOf } from './gpu/tuning.ts';
import { createCpuChildren } from './jobs/cpu-children.ts';
import { createNeuralDiarizer } from './sherpa/diarizer.adapter.ts';
import { createSherpaEngine } from './sherpa/engine.adapter.ts';
import { createSherpaRuntime } from './sherpa/runtime.ts';
import { useOf } from './sherpa/sherpa.ts';

// Run by `./overtone models evaluate`: transcribes the recordings of its input with one model, one JSON line for each.
const request = z
  .object({
    model: z.string(),
    cacheDir: z.string(),
    allowUnverified: z.boolean(),
    threads: z.int().min(1),
    recordings: z.array(z.object({ id: z.string(), audio: z.string(), language: z.string().nullable() })),
  })
  .parse(JSON.parse(await readFile(process.argv[2] ?? '', 'utf8')));

const env = childEnvironment();
const settings = { ...defaultsOf(engineSettings), threads: request.threads, gpu_concurrency: 1, express_slots: 0 };
const gpu = createGpu({ env, wishes: () => wishesOf(settings) });
const runtime = createSherpaRuntime({
  modelCacheDir: request.cacheDir,
  allowUnverified: request.allowUnverified,
  env,
  processors: gpu.processors,
  pool: 'prefork',
  use: () => useOf(settings, gpu),
});
const onlyTheModel = {
  ...runtime,
  models: {
    look: async () =>
      (await runtime.models.look()).filter(
        ({ manifest, folder }) => manifest.kind !== 'asr' || folder.endsWith(`/${request.model}`),
      ),
  },
};
const whisper = createFasterWhisperEngines({
  modelCacheDir: request.cacheDir,
  allowUnverified: request.allowUnverified,
  environment: defaultSpeechEnvironment,
  env,
  processors: gpu.whisperProcessors,
  settings: () => settings,
  pool: 'prefork',
})(request.model);
const engine = await selectEngine();
const diarizer = createNeuralDiarizer(onlyTheModel, createAcousticDiarizer({ env }));
const cpu = createCpuChildren({ env, maxSeconds: 48 * 3600 });
const folder = await mkdtemp(join(tmpdir(), 'overtone-evaluate-'));

let peakMib = 0;
const meter = setInterval(() => (peakMib = Math.max(peakMib, memoryOf(process.pid))), 200).unref();
try {
  const state = await engine.check();
  if (!state.ready) throw new Error(state.why);
  for (const recording of request.recordings) write(await evaluate(recording));
  write({ peakMemoryMib: Math.round(peakMib) });
} catch (error) {
  write({ error: error instanceof Error ? error.message : String(error) });
  process.exitCode = 1;
} finally {
  clearInterval(meter);
  engine.close();
  whisper.close();
  runtime.close();
  await cpu.part.stop();
  await rm(folder, { recursive: true, force: true });
}

/** The engine of the model's family. */
async function selectEngine(): Promise<SpeechEngine> {
  if (request.model === 'pocketsphinx') return createPocketSphinx({ env, parallel: () => request.threads });
  return (await whisper.check()).ready ? whisper : createSherpaEngine(onlyTheModel);
}

async function evaluate({ id, audio, language }: (typeof request.recordings)[number]): Promise<Recognition> {
  const wavPath = join(folder, 'audio.wav');
  const paths = { source: audio, wav: wavPath, picture: join(folder, 'picture.jpg') };
  const { seconds } = await cpu.prepare(paths, { signal: new AbortController().signal, onProgress: () => undefined });
  const before = processorSecondsOf(process.pid);
  const { words, engineSeconds } = await engine.transcribe({ wavPath, seconds, language });
  const processorSeconds = processorSecondsOf(process.pid) - before;
  const { provider, turns } = await diarizer.diarize({ wavPath, seconds, minSpeakers: null, maxSpeakers: null });
  return {
    id,
    seconds,
    engineSeconds,
    processorSeconds,
    text: words.map(({ word }) => word).join(' '),
    diarization: {
      method: provider,
      turns: turns.map(({ start, end, speaker }) => ({ start, end, speaker: String(speaker) })),
    },
  };
}

/** Resident memory of the descendants of a process, in MiB: the engine runs in child processes. */
function memoryOf(pid: number): number {
  return childrenOf(pid).reduce((sum, child) => sum + residentMib(child) + memoryOf(child), 0);
}

/** User and system time of a process, its descendants, and those of them that ended. */
function processorSecondsOf(pid: number): number {
  // proc_pid_stat(5), fields 14 to 17, in hundredths of a second. The name of the program, in brackets, may contain blanks.
  const fields = readProcess(pid, 'stat').split(') ').at(-1)?.split(' ') ?? [];
  const own = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
  return childrenOf(pid).reduce((sum, child) => sum + processorSecondsOf(child), own);
}

/** None, when the process ended in the meantime. */
function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}

function residentMib(pid: number): number {
  const kib = /^VmRSS:\s+(\d+)/m.exec(readProcess(pid, 'status'))?.[1];
  return Number(kib ?? 0) / 1024;
}

/** Empty, when the process ended in the meantime. */
function readProcess(pid: number, name: 'stat' | 'status'): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}

function write(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
