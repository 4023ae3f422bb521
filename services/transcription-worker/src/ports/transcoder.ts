import type { Waveform } from '../audio/peaks.ts';
import type { SoundLevel } from '../audio/sound-level.ts';

/** A sound track, in the order of the file. */
export type SoundTrack = {
  /** Stream index in the container. */
  stream: number;
  codec: string;
  channels: number;
  layout: string | null;
  /** As the container tags it: usually three letters. */
  language: string | null;
  title: string | null;
  isDefault: boolean;
  /** Comments, and descriptions for blind people. */
  isCommentary: boolean;
  /** The length that the container declares of this track. */
  seconds: number | undefined;
};

export type MediaProbe = {
  /** Tags of the file that describe the recording, by their names in lower case. */
  tags: Record<string, string>;
  /** Duration from the container; absent when unknown. */
  seconds: number | undefined;
  tracks: SoundTrack[];
  container: string;
  audioCodec: string | undefined;
  videoCodec: string | undefined;
  width: number | undefined;
  height: number | undefined;
  /** Of the picture, such as yuv420p. */
  pixelFormat: string | undefined;
  channels: number | undefined;
  sampleRate: number | undefined;
  /** Stream index of the picture for the thumbnail. */
  picture: { stream: number; kind: 'video' | 'cover' } | undefined;
};

export type Transcoded = {
  seconds: number;
  waveform: Waveform;
  /** null: there is no sound. */
  sound: SoundLevel | null;
  /** The file is shorter than its container declares, or parts of it could not be decoded. */
  truncated: boolean;
  /** For each track, whether its sound was used. */
  usedTracks: boolean[];
  /** The files of the parts, beside the target; empty for one sound. */
  parts: string[];
};

/** Which sound is wanted. */
export type SoundWish = {
  /** Positions of the chosen tracks; null: those that carry speech. */
  tracks: readonly number[] | null;
  /** ISO code of the spoken language; of tracks in several languages those in this one are used. */
  language: string | null;
  /** One part per track, or per channel of the only track. */
  separate: boolean;
};

export type TranscodeRequest = {
  source: string;
  target: string;
  probe: MediaProbe;
  /** Default: what carries speech, as one sound. */
  wish?: SoundWish | undefined;
  onProgress?: (share: number) => void;
  signal?: AbortSignal | undefined;
};

export type CopyRequest = {
  source: string;
  target: string;
  probe: MediaProbe;
  /** Positions of the tracks whose sound is in the copy. */
  tracks: readonly number[];
  signal?: AbortSignal | undefined;
};

export type MaskRequest = CopyRequest & {
  mode: 'silence' | 'beep';
  /** Seconds, in order, without overlap. */
  ranges: readonly (readonly [start: number, end: number])[];
};

export type ClipRequest = CopyRequest & {
  /** Seconds of the recording. */
  clip: { kind: 'sound' | 'video'; start: number; end: number; masking: MaskRequest['mode'] | null };
  ranges: MaskRequest['ranges'];
};

/** Converts uploads to audio for speech recognition. Invalid input is a permanent `AppError`. */
export type Transcoder = {
  probe(source: string, signal?: AbortSignal): Promise<MediaProbe>;
  transcode(request: TranscodeRequest): Promise<Transcoded>;
  /** Writes a copy without the sound of the ranges. @returns the copy's content type. */
  mask(request: MaskRequest): Promise<string>;
  /** Writes a copy that browsers play. @returns its content type. */
  playbackCopy(request: CopyRequest): Promise<string>;
  /** Writes a part of the recording as a file of its own. @returns its content type. */
  clip(request: ClipRequest): Promise<string>;
  /** Writes a JPEG; false when the file has no readable picture. */
  thumbnail(source: string, target: string, probe: MediaProbe, signal?: AbortSignal): Promise<boolean>;
};
