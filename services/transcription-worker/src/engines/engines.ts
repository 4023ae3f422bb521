import type { EngineInfo, EngineTuning, Word } from '@overtone/contracts';

export { interpolateWords, mapLimit, tidyWords } from './words.ts';

export interface TranscribeRequest {
  /** 16 kHz mono WAV as `prepare` writes it. */
  wavPath: string;
  seconds: number;
  /** ISO code, or null to let the engine find out. */
  language: string | null;
  onProgress?: (share: number) => void;
  signal?: AbortSignal | undefined;
}

export interface Recognised {
  language: string | null;
  /** In order of time, inside the recording, no fillers; see `tidyWords`. */
  words: Word[];
  engine: EngineInfo;
  /** Wall seconds the engine itself worked. */
  engineSeconds: number;
}

export type EngineState = { ready: true } | { ready: false; why: string };

/** Something that turns speech into words with times. All of them pass the same conformance test. */
export interface SpeechEngine {
  id: string;
  info: EngineInfo;
  /** How it uses the processors of this machine; absent where it has no choice. */
  tuning?: EngineTuning | null;
  /** ISO codes it understands; empty: whatever its model was made for. */
  languages: readonly string[];
  /** Cheap when nothing has changed since the last time. */
  check(): Promise<EngineState>;
  transcribe(request: TranscribeRequest): Promise<Recognised>;
  close(): void;
}
