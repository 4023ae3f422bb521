import { createHash } from 'node:crypto';
import type { AudioMasking, ClipKind, CopyMode } from '@overtone/contracts';
import { maskWords } from '@overtone/redaction';
import { maskedSpans, type FoundSpan, type Mask } from '../redaction/redaction.ts';

export type Range = [start: number, end: number];
type TimedWord = { word: string; start: number; end: number; confidence: number | null };
/** A passage with personal data. `estimated`: the times of its words were not measured. */
export type AudioPassage = {
  start: number;
  end: number;
  text: string;
  words: TimedWord[];
  found: FoundSpan[];
  estimated: boolean;
};

/** Speech engines place words up to about this far from where they are spoken. */
const margin = 0.2;

/** The times of masked parts, in order. Without reliable times of its words, a passage is masked as a whole. */
export function maskedTimes(passages: readonly AudioPassage[], mask: Mask): Range[] {
  return mergeRanges(passages.flatMap((passage) => timesIn(passage, maskedSpans(passage.found, mask))));
}

function timesIn({ start, end, text, words, estimated }: AudioPassage, spans: readonly FoundSpan[]): Range[] {
  if (spans.length === 0) return [];
  const times = estimated ? undefined : spans.map((span) => timeOf(words, maskWords(text, words, [span])));
  return times?.every((time) => time !== undefined) ? times : [[start, end]];
}

/** From the first hidden word to the last one. */
function timeOf(words: readonly TimedWord[], shown: readonly TimedWord[]): Range | undefined {
  const hidden = words.filter((word, i) => shown[i]?.word === '' && word.word !== '');
  const [first, last] = [hidden[0], hidden.at(-1)];
  return shown.length > 0 && first && last ? [first.start, last.end] : undefined;
}

function mergeRanges(ranges: readonly Range[]): Range[] {
  const merged: Range[] = [];
  for (const [start, end] of ranges.toSorted(([left], [right]) => left - right)) {
    const from = round(Math.max(0, start - margin));
    const until = round(end + margin);
    const last = merged.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], until);
    else merged.push([from, until]);
  }
  return merged;
}

function round(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

/** The sound that a reader gets in place of masked times. */
export type SoundMask = { mode: Exclude<AudioMasking, 'off'>; ranges: Range[] };
/** A part of a recording in seconds; `masking`: the sound in its masked times. */
export type Clip = { kind: ClipKind; start: number; end: number; masking: SoundMask['mode'] | null };

/** What a copy is made of, and a clip for whom. */
export type Wanted = {
  source: string;
  mode: CopyMode;
  ranges: readonly Range[];
  tracks: readonly number[];
  clip?: Clip | null;
  requestedBy?: string | null;
};

/** Positions of the tracks that were transcribed; the first one for recordings of earlier versions. */
export function usedTracks(mediaInfo: unknown): number[] {
  const { tracks = [] } = (mediaInfo ?? {}) as { tracks?: { used: boolean }[] };
  const used = tracks.flatMap((track, position) => (track.used ? [position] : []));
  return used.length > 0 ? used : [0];
}

/** Identifies a copy: other masked times make another one. */
export function variantOf({ source, mode, ranges, tracks, clip, requestedBy }: Wanted): string {
  const part = clip ? [[clip.kind, clip.start, clip.end, clip.masking, requestedBy]] : [];
  return createHash('sha256')
    .update(JSON.stringify([source, mode, ranges, ...(tracks.join() === '0' ? [] : [tracks]), ...part]))
    .digest('hex');
}

/** Below `derived/`, so that the copy is deleted with its file. */
export function copyKey(fileId: string, variant: string, token: number): string {
  return `derived/${fileId}/masked/${variant}-${token}`;
}

/** The objects of all attempts: a worker that was killed may have stored its copy. */
export function copyKeys({ fileId, variant, token }: { fileId: string; variant: string; token: number }): string[] {
  return Array.from({ length: token }, (_, i) => copyKey(fileId, variant, i + 1));
}
