import { clipLimits, type ClipKind, type ClipObject } from '@overtone/contracts';
import { conflict, invalid, rateLimited } from '@overtone/service-kit';
import { inQuarantine, isQuarantined } from '../access/access.ts';
import { hasMedia, recordingRemoved, type FileRow } from '../files/files.ts';
import { usedTracks, variantOf, type Clip, type SoundMask, type Wanted } from '../copies/copies.ts';

/** A stored clip. */
export type ClipRow = {
  id: string;
  fileId: string;
  variant: string;
  clip: Clip;
  status: ClipObject['state'];
  objectKey: string | null;
  contentType: string | null;
  bytes: number | null;
  requestedAt: Date;
};
export type WantedPart = { kind: ClipKind; start: number; end: number };
export type WantedClip = Wanted & { mode: 'clip'; clip: Clip; variant: string; requestedBy: string };

/** Seconds as ffmpeg reads them, without an exponent. */
export function toMilliseconds(seconds: number): number {
  return Math.round(seconds * 1_000) / 1_000;
}

/** @throws AppError when there is no recording that may be cut. */
export function checkRecording(file: FileRow): void {
  if (isQuarantined(file)) throw inQuarantine();
  if (file.recordingRemovedAt) throw recordingRemoved();
  if (!hasMedia(file) || file.objectKey === '') throw conflict('no_recording', 'This file has no recording.');
}

/** @throws AppError when the recording does not have this part. */
export function checkPart({ duration, contentType, mediaInfo }: FileRow, { kind, start }: WantedPart): void {
  if (duration !== null && start >= duration)
    throw invalid('clip_outside_recording', 'The recording ends before this part.');
  const { video_codec: codec } = (mediaInfo ?? {}) as { video_codec?: string | null };
  if (kind === 'video' && (!contentType.startsWith('video/') || codec === null))
    throw conflict('no_video', 'This recording has no video.');
}

/** The clip that a reader may hear: only what is masked in its part makes it another one. */
export function wantedClip(
  file: FileRow,
  requestedBy: string,
  part: WantedPart,
  mask: SoundMask | undefined,
): WantedClip {
  const { start, end, kind } = part;
  const ranges = (mask?.ranges ?? []).filter(([from, until]) => from < end && until > start);
  const clip = { kind, start, end, masking: ranges.length > 0 && mask ? mask.mode : null };
  const wanted = { source: file.objectKey, mode: 'clip' as const, ranges, tracks: usedTracks(file.mediaInfo) };
  return { ...wanted, clip, requestedBy, variant: variantOf({ ...wanted, clip, requestedBy }) };
}

export function clipObject({ id, clip, status, bytes, requestedAt }: ClipRow): ClipObject {
  return {
    uuid: id,
    kind: clip.kind,
    start_time: clip.start,
    end_time: clip.end,
    state: status,
    bytes: status === 'ready' ? bytes : null,
    expires_at: new Date(requestedAt.getTime() + clipLimits.keptHours * 3_600_000).toISOString(),
  };
}

/** The title of the recording and the time, such as `Interview 0.03.00-0.05.12.m4a`. */
export function clipName(title: string, { kind, start, end, masking }: Clip): string {
  const masked = masking ? ' (masked)' : '';
  return `${title.slice(0, 150).trim()} ${clockOf(start)}-${clockOf(end)}${masked}.${kind === 'sound' ? 'm4a' : 'mp4'}`;
}

/** Without colons, which not all file systems allow. */
function clockOf(seconds: number): string {
  const whole = Math.floor(seconds);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${Math.floor(whole / 3600)}.${two(Math.floor(whole / 60) % 60)}.${two(whole % 60)}`;
}

export function tooManyClips() {
  return rateLimited(
    'too_many_clips',
    `Wait until one of your ${clipLimits.unfinished} clips is finished, then request the next one.`,
    { retryAfterSeconds: 10 },
  );
}

export function clipOutdated() {
  return conflict('clip_outdated', 'The recording, or what is masked in it, has changed. Request the clip again.');
}
