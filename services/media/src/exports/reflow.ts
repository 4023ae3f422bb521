import type { ExportOptions } from '@overtone/contracts/export-formats';
import TinyQueue from 'tinyqueue';
import { fits, joinTokens, tokensOf, widthOf, wrapLines, type Token } from './subtitle-lines.ts';
import { collapseWhitespace, namesBy, speakerOf, type Spoken } from './spoken.ts';
import { subtitleRules as rules } from './subtitle-rules.ts';

/** A subtitle. Times are milliseconds. `name`: the speaker as shown; null: it is not shown. */
export type Cue = { start: number; end: number; speaker: string | null; name: string | null; lines: string[] };

/** What was said, before it has the times of a subtitle. */
type Utterance = Pick<Cue, 'start' | 'end' | 'speaker'> & {
  text: string;
  /** A space precedes it in the text. */
  spaced: boolean;
};
type Piece = Token & { start: number; end: number };

/** A longer pause ends a subtitle. */
const pauseMs = 1_500;
/** Shorter utterances are joined with the one before or after. */
const minWidth = 15;
/** How much earlier than the speech a subtitle may appear when the next one leaves it no time. */
const maxLeadMs = 500;
/** Two people speak at the same time if they do for at least this long. */
const minOverlapMs = 200;
/** A longer name leaves too little of a line. */
const maxNameWidth = 24;

export type ReflowOptions = {
  names: ExportOptions['names'];
  /** Of all speakers, for unique initials. */
  speakers: readonly string[];
  /** Whether a name is part of the text, so that it counts towards its length. */
  inText: boolean;
};

/** Segments to subtitles that keep the rules; segments are pushed in order of their start. */
export type Reflow = { push: (segment: Spoken) => Cue[]; end: () => Cue[] };

export function createReflow({ names, speakers, inText }: ReflowOptions): Reflow {
  const nameOf = namesBy(names, speakers);
  const shownName = (speaker: string | null): string | null => shorten(nameOf(speaker), inText);
  const prefixOf = (speaker: string | null): string => prefix(inText ? shownName(speaker) : null);
  const placing = createPlacing({ always: names === 'each' || !inText, shownName, inText });
  const pending = new TinyQueue<Numbered>([], (left, right) => left.start - right.start || left.number - right.number);
  let count = 0;
  let last: Utterance | undefined;

  const add = (utterance: Utterance): Cue[] => {
    const before = last;
    const joined = before && joinShort(before, utterance, prefixOf);
    last = joined ?? utterance;
    return before && !joined ? placing.place(before, utterance) : [];
  };
  /** What starts at the time or before it. */
  const takeUntil = (time: number): Cue[] => {
    const cues: Cue[] = [];
    for (let next = pending.peek(); next && next.start <= time; next = pending.peek()) {
      pending.pop();
      cues.push(...add(next));
    }
    return cues;
  };

  return {
    push: (segment) => {
      // Nothing that is pushed later starts before this segment.
      const cues = takeUntil(segment.start_time * 1000);
      for (const utterance of utterancesOf(segment, prefixOf)) pending.push({ ...utterance, number: count++ });
      return cues;
    },
    end: () => [...takeUntil(Infinity), ...(last ? placing.place(last, undefined) : []), ...placing.end()],
  };
}

/** Of utterances that start together the first one comes first. */
type Numbered = Utterance & { number: number };

function prefix(name: string | null): string {
  return name === null ? '' : `${name}: `;
}

function shorten(name: string | null, inText: boolean): string | null {
  if (name === null || !inText || widthOf(name) <= maxNameWidth) return name;
  let short = '';
  for (const letter of name) {
    if (widthOf(short + letter) >= maxNameWidth) break;
    short += letter;
  }
  return `${short.trimEnd()}…`;
}

function utterancesOf(segment: Spoken, prefixOf: (speaker: string | null) => string): Utterance[] {
  const speaker = speakerOf(segment);
  const before = prefixOf(speaker);
  const utterances: Utterance[] = [];
  let open: Piece[] = [];
  const close = (): void => {
    const [first, final] = [open[0], open.at(-1)];
    if (first && final)
      utterances.push({
        start: first.start,
        end: final.end,
        speaker,
        text: joinTokens(open),
        spaced: first.spaced,
      });
    open = [];
  };
  for (const piece of piecesOf(segment)) {
    const [first, final] = [open[0] ?? piece, open.at(-1) ?? piece];
    const text = joinTokens(open);
    const longer = joinTokens([...open, piece]);
    const full = !fits(before + longer) || piece.end - first.start > rules.maxMs;
    const pause = piece.start - final.end > pauseMs;
    if (open.length > 0 && (full || pause || endsSentence(text))) close();
    open.push(piece);
  }
  close();
  return utterances;
}

/** A sentence that fills most of a line ends its subtitle. */
function endsSentence(text: string): boolean {
  return widthOf(text) > rules.lineLength && /[.!?…。！？؟۔]["'”’»」』)]*$/u.test(text.slice(-8));
}

/** The segment's words with their times; without matching words the text shares the time of the segment. */
function piecesOf(segment: Spoken): Piece[] {
  const text = collapseWhitespace(segment.text);
  const tokens = tokensOf(text);
  const [start, end] = [segment.start_time * 1000, Math.max(segment.start_time, segment.end_time) * 1000];
  return timedByWords(tokens, segment) ?? timedByLength(tokens, start, end);
}

/** Matches letters, because engines put spaces elsewhere than the text in scripts that have none. */
function timedByWords(tokens: readonly Token[], { words }: Spoken): Piece[] | undefined {
  const spoken = words.map(({ word, start, end }) => ({ letters: word.replaceAll(/\s+/gu, ''), start, end }));
  const all = tokens.map(({ text }) => text).join('');
  if (spoken.map(({ letters }) => letters).join('') !== all) return undefined;
  let at = 0;
  let from = 0;
  let until = 0;
  /** The time of a position in the letters; positions only increase. */
  const timeAt = (position: number, isEnd: boolean): number => {
    for (
      let word = spoken[at];
      word && (isEnd ? from + word.letters.length < position : from + word.letters.length <= position);
      word = spoken[at]
    ) {
      from += word.letters.length;
      at += 1;
    }
    const word = spoken[at];
    if (!word) return Math.round((spoken.at(-1)?.end ?? 0) * 1000);
    const share = word.letters.length === 0 ? 0 : (position - from) / word.letters.length;
    return Math.round((word.start + (word.end - word.start) * share) * 1000);
  };
  return tokens.map((token) => {
    const start = timeAt(until, false);
    until += token.text.length;
    return { ...token, start, end: Math.max(start, timeAt(until, true)) };
  });
}

function timedByLength(tokens: readonly Token[], start: number, end: number): Piece[] {
  const total = tokens.reduce((sum, { text }) => sum + text.length, 0);
  const timeAt = (letters: number): number => Math.round(start + ((end - start) * letters) / total);
  let letters = 0;
  return tokens.map((token) => {
    const from = letters;
    letters += token.text.length;
    return { ...token, start: timeAt(from), end: timeAt(letters) };
  });
}

/** Both in one subtitle, if one of them is too short to read alone and both fit. */
function joinShort(
  left: Utterance,
  right: Utterance,
  prefixOf: (speaker: string | null) => string,
): Utterance | undefined {
  const isShort = ({ start, end, text }: Utterance): boolean => end - start < rules.minMs || widthOf(text) < minWidth;
  if (left.speaker !== right.speaker || right.start - left.end > pauseMs) return undefined;
  if (!isShort(left) && !isShort(right)) return undefined;
  const both = {
    ...left,
    end: Math.max(left.end, right.end),
    text: left.text + (right.spaced ? ' ' : '') + right.text,
  };
  return both.end - both.start <= rules.maxMs && fits(prefixOf(left.speaker) + both.text) ? both : undefined;
}

type Placed = { cue: Cue; said: Utterance; minEnd: number };
type PlacingOptions = { always: boolean; shownName: (speaker: string | null) => string | null; inText: boolean };

/**
 * Gives utterances, in order of their start, the time that reading takes. Two subtitles are shown at the same time only
 * where two people speak at the same time; a third one waits. Fast speech is shown later than it is spoken.
 */
function createPlacing({ always, shownName, inText }: PlacingOptions) {
  const lanes: (Placed | undefined)[] = [undefined, undefined];
  let queue: Placed[] = [];
  let lastStart = 0;
  let lastSpeaker: string | null = null;

  const emit = (): Cue[] => {
    const firstOpen = queue.findIndex((placed) => lanes.includes(placed));
    const done = firstOpen < 0 ? queue : queue.slice(0, firstOpen);
    queue = firstOpen < 0 ? [] : queue.slice(firstOpen);
    return done.map(({ cue }) => cue);
  };

  return {
    place: (said: Utterance, next: Utterance | undefined): Cue[] => {
      const name = always || said.speaker !== lastSpeaker ? shownName(said.speaker) : null;
      lastSpeaker = said.speaker;
      const lines = wrapLines((inText ? prefix(name) : '') + said.text);
      const needed = Math.max(rules.minMs, Math.ceil((widthOf(lines.join(' ')) * 1000) / rules.columnsPerSecond));
      const previous = lanes.filter((placed) => placed !== undefined);
      const waitsFor = previous.filter((placed) => excludes(placed.said, said));
      const [one, two] = previous;
      const free = Math.max(
        lastStart,
        ...waitsFor.map(({ minEnd }) => minEnd + rules.minGapMs),
        one && two && waitsFor.length === 0 ? Math.min(one.minEnd, two.minEnd) + rules.minGapMs : 0,
      );
      let start = Math.max(said.start, free);
      const missing = next && excludes(said, next) ? start + needed + rules.minGapMs - next.start : 0;
      if (missing > 0) start = Math.max(free, start - Math.min(missing, maxLeadMs));
      lastStart = start;
      const minEnd = start + needed;
      const end = Math.min(Math.max(minEnd, said.end), start + rules.maxMs);
      for (const [i, placed] of lanes.entries()) {
        if (!placed) continue;
        const mustEnd =
          waitsFor.includes(placed) || (one && two && waitsFor.length === 0 && placed.minEnd + rules.minGapMs <= start);
        if (mustEnd) placed.cue.end = Math.min(placed.cue.end, start - rules.minGapMs);
        if (placed.cue.end + rules.minGapMs <= start) lanes[i] = undefined;
      }
      const placed = { cue: { start, end, speaker: said.speaker, name, lines }, said, minEnd };
      lanes[lanes[0] === undefined ? 0 : 1] = placed;
      queue.push(placed);
      return emit();
    },
    end: (): Cue[] => queue.map(({ cue }) => cue),
  };
}

/** Whether two utterances cannot be shown at the same time. */
function excludes(left: Utterance, right: Utterance): boolean {
  if (left.speaker === right.speaker) return true;
  return Math.min(left.end, right.end) - Math.max(left.start, right.start) < minOverlapMs;
}

/** Each segment as one subtitle, at its own times. */
export function createPassageCues({ names, speakers, inText }: ReflowOptions): Reflow {
  const nameOf = namesBy(names, speakers);
  let last: string | null = null;
  return {
    push: (segment) => {
      const text = collapseWhitespace(segment.text);
      if (text === '') return [];
      const speaker = speakerOf(segment);
      const name = names === 'each' || speaker !== last ? nameOf(speaker) : null;
      last = speaker;
      const [start, end] = [Math.round(segment.start_time * 1000), Math.round(segment.end_time * 1000)];
      return [{ start, end, speaker, name, lines: wrapLines((inText ? prefix(name) : '') + text) }];
    },
    end: () => [],
  };
}
