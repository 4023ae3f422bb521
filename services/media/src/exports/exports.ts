import type { SegmentObject, Word } from '@overtone/contracts';
import { speakerName } from '@overtone/contracts/speakers';

export type Spoken = Pick<SegmentObject, 'start_time' | 'end_time' | 'text' | 'speaker' | 'words'>;
export type Cue = { start: number; end: number; speaker: string | null; text: string };

/** What fits on a screen: two lines of 42 characters, seconds enough to read and not so many that it stands still. */
const lineLength = 42;
const cueLength = 2 * lineLength;
const cueSeconds = 7;
const paragraphPause = 2;

const pad = (value: number, width = 2): string => String(value).padStart(width, '0');

/** `01:02:03,004`; hours run past 99 when they must. */
export const timestamp = (seconds: number, separator: ',' | '.'): string => {
  const ms = Math.max(0, Math.round(seconds * 1000));
  const clock = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1000) % 60];
  return `${clock.map((part) => pad(part)).join(':')}${separator}${pad(ms % 1000, 3)}`;
};

const flat = (text: string): string => text.replaceAll(/\s+/gu, ' ').trim();
const speakerOf = ({ speaker }: Spoken): string | null => (speaker ? flat(speakerName(speaker)) : null);

/** Breaks text into two lines of about equal length, where a line would be too long. */
export const wrapped = (text: string): string => {
  if (text.length <= lineLength) return text;
  const middle = text.length / 2;
  let best = -1;
  for (let at = text.indexOf(' '); at >= 0; at = text.indexOf(' ', at + 1)) {
    if (best < 0 || Math.abs(at - middle) < Math.abs(best - middle)) best = at;
  }
  return best < 0 ? text : `${text.slice(0, best)}\n${text.slice(best + 1)}`;
};

/** Segments cut into what can be read on a screen, at the words' own times. */
export const toCues = (segments: Spoken[]): Cue[] => segments.flatMap(cuesOf).map(lasting);

const cuesOf = (segment: Spoken): Cue[] => {
  const speaker = speakerOf(segment);
  const whole = { start: segment.start_time, end: segment.end_time, speaker, text: flat(segment.text) };
  if (whole.text === '') return [];
  // Words without which the times mean nothing: a segment stays whole when its words do not make up its text.
  const words = segment.words.filter(({ word }) => flat(word) !== '');
  if (flat(words.map(({ word }) => word).join(' ')) !== whole.text) return [whole];
  const cues: Cue[] = [];
  let open: Word[] = [];
  const close = (): void => {
    const [first, last] = [open[0], open.at(-1)];
    if (first && last) cues.push({ start: first.start, end: last.end, speaker, text: textOf(open) });
    open = [];
  };
  for (const word of words) {
    const tooLong =
      textOf([...open, word]).length > cueLength || word.end - (open[0]?.start ?? word.start) > cueSeconds;
    if (open.length > 0 && (tooLong || endsSentence(open))) close();
    open.push(word);
  }
  close();
  return cues;
};

const textOf = (words: Word[]): string => words.map(({ word }) => flat(word)).join(' ');
/** A sentence that has filled most of a line ends its cue. */
const endsSentence = (words: Word[]): boolean => {
  const text = textOf(words);
  return text.length > lineLength && /[.!?…]["'”’)]*$/u.test(text);
};
// Players skip a cue that ends where it begins.
const lasting = (cue: Cue): Cue => (cue.end > cue.start ? cue : { ...cue, end: cue.start + 0.1 });

/** SubRip. A blank line ends a cue and `-->` is its mark: neither may stand in the text. */
export const toSrt = (segments: Spoken[], withSpeakers: boolean): string =>
  toCues(segments)
    .map(({ start, end, speaker, text }, index) => {
      const named = withSpeakers && speaker ? `${speaker}: ${text}` : text;
      const body = wrapped(named.replaceAll('-->', '→'));
      return `${index + 1}\n${timestamp(start, ',')} --> ${timestamp(end, ',')}\n${body}\n`;
    })
    .join('\n');

const escapedVtt = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** WebVTT (https://www.w3.org/TR/webvtt1/): the speaker is a voice span. */
export const toVtt = (segments: Spoken[], withSpeakers: boolean): string => {
  const cues = toCues(segments).map(({ start, end, speaker, text }) => {
    const voice = withSpeakers && speaker ? `<v ${escapedVtt(speaker)}>` : '';
    return `${timestamp(start, '.')} --> ${timestamp(end, '.')}\n${voice}${escapedVtt(wrapped(text))}\n`;
  });
  return ['WEBVTT\n', ...cues].join('\n');
};

/** Plain text: a paragraph per speaker's turn, headed by who speaks and when. */
export const toTxt = (segments: Spoken[], withSpeakers: boolean): string => {
  const turns: { speaker: string | null; start: number; end: number; text: string }[] = [];
  for (const segment of segments) {
    const text = flat(segment.text);
    if (text === '') continue;
    const speaker = speakerOf(segment);
    const last = turns.at(-1);
    const pause = last ? segment.start_time - last.end : 0;
    if (last && last.speaker === speaker && pause < paragraphPause) {
      last.text += ` ${text}`;
      last.end = segment.end_time;
    } else {
      turns.push({ speaker, start: segment.start_time, end: segment.end_time, text });
    }
  }
  return turns
    .map(({ speaker, start, text }) => {
      const heading = withSpeakers && speaker ? `${speaker} ` : '';
      return `${heading}[${timestamp(start, '.').slice(0, 8)}]\n${text}\n`;
    })
    .join('\n');
};
