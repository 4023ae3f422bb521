import type { Word } from '@overtone/contracts';
import { readSamples, sampleRate } from '../audio/wav.ts';
import { serveTasks } from '../children/serve-tasks.ts';
import { diarizeWindows } from './neural-windows.ts';
import { speechChunks } from './chunks.ts';
import type { RecognizerConfig } from './config.ts';
import { loadSherpa, type Recognizer } from './native.ts';
import { sherpaTask, type SherpaTask } from './protocol.ts';
import { chunkResult, wordsOfChunk } from './tokens.ts';

const sherpa = loadSherpa();
let loaded: { key: string; recognizer: Recognizer } | undefined;

/** Loading takes seconds: the last recognizer stays for the next recording. */
const recognizerFor = (config: RecognizerConfig): Recognizer => {
  const key = JSON.stringify(config);
  if (loaded?.key !== key) loaded = { key, recognizer: new sherpa.OfflineRecognizer(config) };
  return loaded.recognizer;
};

const decode = (recognizer: Recognizer, samples: Float32Array): unknown => {
  const stream = recognizer.createStream();
  stream.acceptWaveform({ samples, sampleRate });
  recognizer.decode(stream);
  return recognizer.getResult(stream);
};

const transcribe = async (t: Extract<SherpaTask, { task: 'transcribe' }>, onProgress: (share: number) => void) => {
  const recognizer = recognizerFor(t.config);
  const detector = t.vad ? new sherpa.Vad(t.vad, 60) : undefined;
  const chunks = await speechChunks(detector, t.wavPath, t.seconds, t.longest);
  const words: Word[] = [];
  let timing: 'engine' | 'estimated' = 'engine';
  let language: string | null = null;
  for (const chunk of chunks) {
    const result = chunkResult.parse(decode(recognizer, await readSamples(t.wavPath, chunk.start, chunk.end)));
    const found = wordsOfChunk(result, chunk);
    words.push(...found.words);
    if (found.timing === 'estimated') timing = 'estimated';
    language ??= result.lang.replace(/[<>|]/g, '') || null;
    onProgress(chunk.end / t.seconds);
  }
  return { words, timing, language };
};

const perform = async (t: SherpaTask, onProgress: (share: number) => void): Promise<unknown> => {
  switch (t.task) {
    case 'load-recognizer':
      decode(recognizerFor(t.config), new Float32Array(sampleRate));
      return {};
    case 'load-vad':
      new sherpa.Vad(t.config, 10).acceptWaveform(new Float32Array(512));
      return {};
    case 'load-embedding':
      new sherpa.SpeakerEmbeddingExtractor(t.config).createStream();
      return {};
    case 'transcribe':
      return transcribe(t, onProgress);
    case 'diarize':
      return diarizeWindows(sherpa, t, onProgress);
    default:
      return t satisfies never;
  }
};

serveTasks((input, onProgress) => perform(sherpaTask.parse(input), onProgress));
