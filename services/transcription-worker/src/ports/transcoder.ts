import type { Waveform } from '../audio/peaks.ts';

export interface MediaProbe {
  /** What the container says; absent when it does not know. */
  seconds: number | undefined;
  container: string;
  audioCodec: string | undefined;
  videoCodec: string | undefined;
  width: number | undefined;
  height: number | undefined;
  channels: number | undefined;
  sampleRate: number | undefined;
  bitRate: number | undefined;
  /** Index among all streams of the picture to make a thumbnail from. */
  picture: { stream: number; kind: 'video' | 'cover' } | undefined;
  title: string | undefined;
  createdAt: string | undefined;
}

export interface Transcoded {
  seconds: number;
  waveform: Waveform;
  /** The file ends before its container says it should, or parts of it could not be decoded. */
  truncated: boolean;
}

export interface TranscodeRequest {
  source: string;
  target: string;
  probe: MediaProbe;
  onProgress?: (share: number) => void;
  signal?: AbortSignal | undefined;
}

/** Turns whatever people upload into speech-ready audio. Bad input is a permanent `AppError`. */
export interface Transcoder {
  probe(source: string, signal?: AbortSignal): Promise<MediaProbe>;
  transcode(request: TranscodeRequest): Promise<Transcoded>;
  /** Writes a JPEG; false when the file has no picture (or an unreadable one: never a reason to fail). */
  thumbnail(source: string, target: string, probe: MediaProbe, signal?: AbortSignal): Promise<boolean>;
}
