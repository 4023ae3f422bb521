import type { TurnsArtefact } from '@overtone/contracts';

export { mergeTurns } from './turns.ts';

export type DiarizeRequest = {
  /** 16 kHz mono WAV as `prepare` writes it. */
  wavPath: string;
  seconds: number;
  minSpeakers: number | null;
  maxSpeakers: number | null;
  onProgress?: (share: number) => void;
  signal?: AbortSignal;
};

/** Finds speaker turns without identifying the speakers. */
export type Diarizer = { diarize: (request: DiarizeRequest) => Promise<TurnsArtefact> };
