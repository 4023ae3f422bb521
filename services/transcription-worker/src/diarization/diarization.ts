import type { TurnsArtefact } from '@overtone/contracts';

export type DiarizeRequest = {
  /** 16 kHz mono WAV as `prepare` writes it. */
  wavPath: string;
  seconds: number;
  minSpeakers: number | null;
  maxSpeakers: number | null;
  onProgress?: (share: number) => void;
  signal?: AbortSignal;
};

/** Something that says who speaks when, without knowing who they are. */
export type Diarizer = { diarize: (request: DiarizeRequest) => Promise<TurnsArtefact> };
