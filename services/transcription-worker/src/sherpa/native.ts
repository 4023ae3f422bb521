import { createRequire } from 'node:module';
import type { DiarizationConfig, EmbeddingConfig, RecognizerConfig, VadConfig } from './config.ts';

// Types of the used part of sherpa-onnx-node. Only task children may load it: a corrupt model ends the process.
type Stream = { acceptWaveform(wave: { samples: Float32Array; sampleRate: number }): void };

type InputStream = { inputFinished(): void } & Stream;

export type Recognizer = {
  createStream(): Stream;
  /** Decodes on a thread of the pool, so that several streams of one recognizer are decoded concurrently. */
  decodeAsync(stream: Stream): Promise<unknown>;
};

export type Detector = {
  acceptWaveform(samples: Float32Array): void;
  isEmpty(): boolean;
  front(external: boolean): { start: number; samples: Float32Array };
  pop(): void;
  flush(): void;
};

export type Extractor = {
  createStream(): InputStream;
  isReady(stream: InputStream): boolean;
  compute(stream: InputStream, external: boolean): Float32Array;
};

export type SpeakerDiarization = {
  process(samples: Float32Array): { start: number; end: number; speaker: number }[];
};

type Sherpa = {
  OfflineRecognizer: new (config: RecognizerConfig) => Recognizer;
  Vad: new (config: VadConfig, bufferSeconds: number) => Detector;
  SpeakerEmbeddingExtractor: new (config: EmbeddingConfig) => Extractor;
  OfflineSpeakerDiarization: new (config: DiarizationConfig) => SpeakerDiarization;
};

export function loadSherpa(): Sherpa {
  return createRequire(import.meta.url)('sherpa-onnx-node') as Sherpa;
}
