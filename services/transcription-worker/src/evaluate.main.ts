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
  const { words, engineSeconds } = await engine.transcribe({ wavPath, seconds, language });
  const { provider, turns } = await diarizer.diarize({ wavPath, seconds, minSpeakers: null, maxSpeakers: null });
  return {
    id,
    seconds,
    engineSeconds,
    text: words.map(({ word }) => word).join(' '),
    diarization: {
      method: provider,
      turns: turns.map(({ start, end, speaker }) => ({ start, end, speaker: String(speaker) })),
    },
  };
}

/** Resident memory of the descendants of a process, in MiB: the engine runs in child processes. */
function memoryOf(pid: number): number {
  try {
    const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').trim().split(' ').filter(Boolean),
    );
    return children.reduce((sum, child) => sum + residentMib(Number(child)) + memoryOf(Number(child)), 0);
  } catch {
    return 0;
  }
}

function residentMib(pid: number): number {
  const kib = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib ?? 0) / 1024;
}

function write(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
