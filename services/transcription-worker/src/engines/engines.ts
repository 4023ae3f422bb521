import type { AsrProvider, EngineInfo, EngineTuning, SpeechTask, Word } from '@overtone/contracts';
import type { Ability } from '@overtone/jobs';
import type { Processors } from '../gpu/gpu.ts';

export { recognisedSegment, spokenWords } from './evidence.ts';
export { knownLanguage, servedLanguages } from './languages.ts';
export { mergeVocabulary } from './vocabulary.ts';
export { interpolateWords, joinParts, mapLimit, tidyWords } from './words.ts';

export type TranscribeRequest = {
  /** 16 kHz mono WAV as `prepare` writes it. */
  wavPath: string;
  seconds: number;
  /** ISO code; null: the engine detects the language. */
  language: string | null;
  /** Default: transcribe. */
  task?: SpeechTask | undefined;
  /** Names and terms to expect, for engines that take them. */
  vocabulary?: readonly string[] | undefined;
  onProgress?: (share: number) => void;
  signal?: AbortSignal | undefined;
};

export type Recognised = {
  language: string | null;
  /** In order of time, inside the recording, no fillers; see `tidyWords`. */
  words: Word[];
  engine: EngineInfo;
  /** Wall-clock seconds of the engine's own work. */
  engineSeconds: number;
};

export type EngineState = { ready: true } | { ready: false; why: string };

/** Converts speech to words with times. All engines pass the same conformance test. */
export type SpeechEngine = {
  id: string;
  info: EngineInfo;
  /** The processors of its library; absent if it has no use for a GPU. */
  processors?: Pick<Processors, 'state'>;
  /** Tuning for the machine's processors; absent if the engine has none. */
  tuning?: EngineTuning | null;
  /** Supported ISO codes; empty: those of its model. */
  languages: readonly string[];
  /** Whether it can translate to English. */
  translates: boolean;
  /** Another server does the work: the worker only waits. */
  remote: boolean;
  /** Cheap when nothing has changed since the last call. */
  check(): Promise<EngineState>;
  transcribe(request: TranscribeRequest): Promise<Recognised>;
  close(): void;
};

/** An engine and the provider that it was made of; null: it comes from the environment. */
export type Candidate = { engine: SpeechEngine; provider: AsrProvider | null };

/** What a recording needs of an engine. */
export type SpeechWish = {
  /** ISO code; null: automatic. */
  language: string | null;
  seconds: number;
  task: SpeechTask;
  /** The provider that a person chose; null: the first one that fits. */
  provider: string | null;
};

/** The speech engines and the processors of this worker. */
export type Engines = {
  /** The ready engines for a recording, in the order of their use. @throws AppError when there is none. */
  enginesFor: (wish: SpeechWish) => Promise<readonly Candidate[]>;
  /** What the heartbeat reports of this worker. */
  about: () => Ability;
  /** Without an engine, the worker does not pull transcription jobs. */
  able: (durable: string) => boolean;
  /** Whether every transcription would go to another server now. */
  areAllRemote: () => boolean;
};
