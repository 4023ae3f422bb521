import { readFile } from 'node:fs/promises';
import { encodeVector } from '@overtone/service-kit/vectors';
import { readSamples, sampleRate } from '../audio/wav.ts';
import { serveTasks, type TaskContext } from '../children/serve-tasks.ts';
import { mapLimit } from '../engines/engines.ts';
import { diarizeWindows } from './neural-windows.ts';
import { speechChunks } from './chunks.ts';
import { paddedSeconds, type RecognizerConfig } from './config.ts';
import { loadSherpa, type Recognizer } from './native.ts';
import { speakerVector } from './speaker-vector.ts';
import { sherpaTask, type SherpaTask } from './protocol.ts';
import { chunkResult, wordsOfChunk } from './tokens.ts';

const sherpa = loadSherpa();
type Loaded = { recognizer: Recognizer; users: number };
const loaded = new Map<string, Loaded>();

/** Loading takes seconds: tasks with the same model share a recognizer, and the last one is kept. */
async function withRecognizer<T>(config: RecognizerConfig, work: (recognizer: Recognizer) => Promise<T>): Promise<T> {
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
  task: Extract<SherpaTask, { task: 'transcribe' }>,
  recognizer: Recognizer,
  { onProgress, signal }: TaskContext,
) {
  const detector = task.vad ? new sherpa.Vad(task.vad, 60) : undefined;
  const chunks = await speechChunks(detector, task);
  let done = 0;
  const results = await mapLimit(chunks, { limit: task.batch, signal }, async (chunk) => {
    const samples = await readSamples(task.wavPath, chunk.start, chunk.end);
    const padded = new Float32Array(
      Math.max(samples.length, Math.round(paddedSeconds(task.config, samples.length / sampleRate) * sampleRate)),
    );
    padded.set(samples);
    const result = chunkResult.parse(await decode(recognizer, padded));
    done += 1;
    onProgress(done / chunks.length);
    return { ...wordsOfChunk(result, chunk), language: result.lang.replace(/[<>|]/g, '') };
  });
  return {
    words: results.flatMap((chunk) => chunk.words),
    timing: results.every((chunk) => chunk.timing === 'engine') ? 'engine' : 'estimated',
    language: results.find((chunk) => chunk.language)?.language ?? null,
  };
}

async function embedSpeakers({ config, wavPath, speakers }: Extract<SherpaTask, { task: 'embed-speakers' }>) {
  const extractor = new sherpa.SpeakerEmbeddingExtractor(config);
  const vectors: Record<string, string> = {};
  for (const { speakerId, spans } of speakers) {
    const parts: Float32Array[] = [];
    for (const [start, end] of spans) parts.push(await readSamples(wavPath, start, end));
    const vector = speakerVector(extractor, parts);
    const length = Math.hypot(...vector);
    if (length > 0) vectors[speakerId] = encodeVector(vector.map((value) => value / length));
  }
  return vectors;
}

/** Detects the library's silent fallback to the CPU by its loaded libraries. */
async function providerInUse(): Promise<{ provider: 'cpu' | 'cuda' }> {
  const maps = await readFile('/proc/self/maps', 'utf8');
  return { provider: /onnxruntime_providers_cuda/.test(maps) ? 'cuda' : 'cpu' };
}

async function perform(task: SherpaTask, context: TaskContext): Promise<unknown> {
  switch (task.task) {
    case 'load-recognizer':
      await withRecognizer(task.config, (recognizer) => decode(recognizer, new Float32Array(sampleRate)));
      return providerInUse();
    case 'load-vad':
      new sherpa.Vad(task.config, 10).acceptWaveform(new Float32Array(512));
      return {};
    case 'load-embedding':
      new sherpa.SpeakerEmbeddingExtractor(task.config).createStream();
      return providerInUse();
    case 'transcribe':
      return withRecognizer(task.config, (recognizer) => transcribe(task, recognizer, context));
    case 'diarize':
      return diarizeWindows(sherpa, task, context.onProgress);
    case 'embed-speakers':
      return { vectors: await embedSpeakers(task) };
    default:
      return task satisfies never;
  }
}

serveTasks((input, context) => perform(sherpaTask.parse(input), context));
