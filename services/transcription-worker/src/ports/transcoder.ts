import type { Waveform } from '../audio/peaks.ts';

export type MediaProbe = {
  /** Duration from the container; absent when unknown. */
  seconds: number | undefined;
  container: string;
  audioCodec: string | undefined;
  videoCodec: string | undefined;
  width: number | undefined;
  height: number | undefined;
  channels: number | undefined;
  sampleRate: number | undefined;
  /** Stream index of the picture for the thumbnail. */
  picture: { stream: number; kind: 'video' | 'cover' } | undefined;
};

export type Transcoded = {
  seconds: number;
  waveform: Waveform;
  /** The file is shorter than its container declares, or parts of it could not be decoded. */
  truncated: boolean;
};

export type TranscodeRequest = {
  source: string;
  target: string;
  probe: MediaProbe;
  onProgress?: (share: number) => void;
  signal?: AbortSignal | undefined;
};

export type MaskRequest = {
  source: string;
  target: string;
  probe: MediaProbe;
  mode: 'silence' | 'beep';
  /** Seconds, in order, without overlap. */
  ranges: readonly (readonly [start: number, end: number])[];
  signal?: AbortSignal | undefined;
};

/** Converts uploads to audio for speech recognition. Invalid input is a permanent `AppError`. */
export type Transcoder = {
  probe(source: string, signal?: AbortSignal): Promise<MediaProbe>;
  transcode(request: TranscodeRequest): Promise<Transcoded>;
  /** Writes a copy without the sound of the ranges. @returns the copy's content type. */
  mask(request: MaskRequest): Promise<string>;
  /** Writes a JPEG; false when the file has no readable picture. */
  thumbnail(source: string, target: string, probe: MediaProbe, signal?: AbortSignal): Promise<boolean>;
};
