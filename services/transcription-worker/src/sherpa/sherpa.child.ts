import { readFile } from 'node:fs/promises';
import { readSamples, sampleRate } from '../audio/wav.ts';
import { serveTasks, type TaskContext } from '../children/serve-tasks.ts';
import { mapLimit } from '../engines/engines.ts';
import { diarizeWindows } from './neural-windows.ts';
import { speechChunks } from './chunks.ts';
import type { RecognizerConfig } from './config.ts';
import { loadSherpa, type Recognizer } from './native.ts';
import { sherpaTask, type SherpaTask } from './protocol.ts';
import { chunkResult, wordsOfChunk } from './tokens.ts';

const sherpa = loadSherpa();
type Loaded = { recognizer: Recognizer; users: number };
const loaded = new Map<string, Loaded>();

/** Loading takes seconds: tasks with the same model share a recognizer, and the last one is kept. */
async function withRecognizer<T>(config: RecognizerConfig, work: (r: Recognizer) => Promise<T>): Promise<T> {
  const key = JSON.stringify(config);
  const entry = loaded.get(key) ?? { recognizer: new sherpa.OfflineRecognizer(config), users: 0 };
  loaded.set(key, entry);
  for (const [other, { users }] of loaded) if (other !== key && users === 0) loaded.delete(other);
  entry.users += 1;
  try {
    return await work(entry.recognizer);
  } finally {
    entry.users -= 1;
  }
}

function decode(recognizer: Recognizer, samples: Float32Array): Promise<unknown> {
  const stream = recognizer.createStream();
  stream.acceptWaveform({ samples, sampleRate });
  return recognizer.decodeAsync(stream);
}

async function transcribe(
  t: Extract<SherpaTask, { task: 'transcribe' }>,
  recognizer: Recognizer,
  { onProgress, signal }: TaskContext,
) {
  const detector = t.vad ? new sherpa.Vad(t.vad, 60) : undefined;
  const chunks = await speechChunks(detector, t.wavPath, t.seconds, t.longest);
  let done = 0;
  const results = await mapLimit(chunks, { limit: t.batch, signal }, async (chunk) => {
    const result = chunkResult.parse(await decode(recognizer, await readSamples(t.wavPath, chunk.start, chunk.end)));
    done += 1;
    onProgress(done / chunks.length);
    return { ...wordsOfChunk(result, chunk), language: result.lang.replace(/[<>|]/g, '') };
  });
  return {
    words: results.flatMap((h) => h.words),
    timing: results.every((h) => h.timing === 'engine') ? 'engine' : 'estimated',
    language: results.find((h) => h.language)?.language ?? null,
  };
}

/** Detects the library's silent fallback to the CPU by its loaded libraries. */
async function providerInUse(): Promise<{ provider: 'cpu' | 'cuda' }> {
  const maps = await readFile('/proc/self/maps', 'utf8');
  return { provider: /onnxruntime_providers_cuda/.test(maps) ? 'cuda' : 'cpu' };
}

async function perform(t: SherpaTask, context: TaskContext): Promise<unknown> {
  switch (t.task) {
    case 'load-recognizer':
      await withRecognizer(t.config, (r) => decode(r, new Float32Array(sampleRate)));
      return providerInUse();
    case 'load-vad':
      new sherpa.Vad(t.config, 10).acceptWaveform(new Float32Array(512));
      return {};
    case 'load-embedding':
      new sherpa.SpeakerEmbeddingExtractor(t.config).createStream();
      return providerInUse();
    case 'transcribe':
      return withRecognizer(t.config, (recognizer) => transcribe(t, recognizer, context));
    case 'diarize':
      return diarizeWindows(sherpa, t, context.onProgress);
    default:
      return t satisfies never;
  }
}

serveTasks((input, context) => perform(sherpaTask.parse(input), context));
