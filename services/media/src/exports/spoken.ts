import type { ExportOptions } from '@overtone/contracts/export-formats';
import { speakerName } from '@overtone/contracts/speakers';
import type { SegmentObject } from '@overtone/contracts';

/** A passage as its reader sees it. */
export type Spoken = Pick<
  SegmentObject,
  'start_time' | 'end_time' | 'text' | 'speaker' | 'words' | 'confidence' | 'edited' | 'redactions'
>;

export function collapseWhitespace(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim();
}

export function speakerOf({ speaker }: Pick<Spoken, 'speaker'>): string | null {
  return speaker ? collapseWhitespace(speakerName(speaker)) : null;
}

export const maskTexts = { bar: '█████', ellipsis: '[…]' };

/** The passage with its masked parts as they are chosen to be shown. */
export function showMasked(segment: Spoken, masked: ExportOptions['masked']): Spoken {
  if (masked === 'kind' || segment.redactions.length === 0) return segment;
  let text = '';
  let from = 0;
  for (const { start, end } of segment.redactions) {
    text += segment.text.slice(from, start) + maskTexts[masked];
    from = end;
  }
  return { ...segment, text: text + segment.text.slice(from), redactions: [] };
}

/** A length, such as `1 h 20 min`: it cannot be taken for a time of day. */
export function lengthOf(seconds: number): string {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  const parts = [
    [Math.floor(minutes / 60), 'h'],
    [minutes % 60, 'min'],
  ] as const;
  return parts
    .filter(([value]) => value > 0)
    .map(([value, unit]) => `${value} ${unit}`)
    .join(' ');
}

/** `01:02:03`; hours may exceed 99. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  return [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}

/** `01:02:03,004` */
export function timestamp(seconds: number, separator: ',' | '.'): string {
  const ms = Math.max(0, Math.round(seconds * 1000));
  return `${clock(ms / 1000)}${separator}${String(ms % 1000).padStart(3, '0')}`;
}

/** How speakers are named: as they are called, or by unique initials. */
export function namesBy(
  option: ExportOptions['names'],
  names: readonly string[],
): (speaker: string | null) => string | null {
  if (option === 'none') return () => null;
  if (option !== 'initials') return (speaker) => speaker;
  const initials = initialsOf(names);
  return (speaker) => (speaker === null ? null : (initials.get(speaker) ?? speaker));
}

/** Initials of all names; a second "AL" becomes "AL2". */
export function initialsOf(names: readonly string[]): Map<string, string> {
  const taken = new Map<string, number>();
  return new Map(
    [...new Set(names)].map((name) => {
      const letters = name
        .split(' ')
        .map((word) => (/^\p{Nd}+$/u.test(word) ? word : (/[\p{L}\p{N}]/u.exec(word)?.[0] ?? '')))
        .join('')
        .toUpperCase();
      const initials = letters === '' ? name : letters;
      const count = (taken.get(initials) ?? 0) + 1;
      taken.set(initials, count);
      return [name, count === 1 ? initials : `${initials}${count}`];
    }),
  );
}
