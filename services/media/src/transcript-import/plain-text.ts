import {
  checkLineLength,
  collapseText,
  createCueList,
  findPrefixNames,
  linesOf,
  looksLikeName,
  speakerNameOf,
  splitSpeakerPrefix,
} from './cues.ts';
import type { ParsedTranscript, ParseOptions } from './cues.ts';

const clock = String.raw`(?:(\d{1,4}):)?(\d{1,2}):(\d{2})(?:[.,](\d{1,3}))?`;
/** `Ada [00:01:02]`, `[00:01:02]`, `Ada (1:02)`: the turn's text is on the next lines. */
const heading = new RegExp(String.raw`^(.{0,80}?)\s?[[(]${clock}[\])]:?$`, 'u');
/** `Ada Lovelace 1:02`: so write Otter and Teams, with the turn's text on the next lines. */
const bareHeading = /^(.{1,80}?) (?:(\d{1,4}):)?(\d{1,2}):(\d{2})$/u;
const footer = /^Transcribed by https:\/\/otter\.ai$/iu;
/** `[00:01:02] Ada: text`, `00:01:02 text`. */
const timePrefix = new RegExp(String.raw`^(?:[[(]${clock}[\])]|${clock}(?=\s))\s*(?:-\s*)?`, 'u');
/** Long paragraphs are divided between sentences. */
const maxLetters = 2000;

type Turn = { line: number; start: number | null; speaker: string | null; lines: string[] };

/** Text with turns: `Name: ...`, the text export, or paragraphs. */
export function parsePlainText(text: string, { speakerPrefixes }: ParseOptions): ParsedTranscript {
  const turns: Turn[] = [];
  const lines = linesOf(text).map((raw, i) => {
    checkLineLength(raw, i + 1);
    return collapseText(raw);
  });
  const names = speakerPrefixes ? prefixNamesOf(lines) : new Set<string>();
  let afterBlank = true;
  lines.forEach((line, i) => {
    if (footer.test(line)) return;
    const last = turns.at(-1);
    if (line === '') {
      afterBlank = true;
      return;
    }
    const turn = turnOf(line, i + 1, { names, afterBlank });
    if (turn) turns.push(turn);
    else if (last && (!afterBlank || last.lines.length === 0)) last.lines.push(line);
    else turns.push({ line: i + 1, start: null, speaker: last?.speaker ?? null, lines: [line] });
    afterBlank = false;
  });
  const list = createCueList();
  for (const { lines, start, ...turn } of turns) {
    divide(lines.join(' ')).forEach((part, i) =>
      list.add({ ...turn, text: part, start: i === 0 ? start : null, end: null }),
    );
  }
  return { cues: list.cues, language: null, title: null, markupRemoved: 0 };
}

/** Each paragraph may begin with a name. */
function prefixNamesOf(lines: readonly string[]): ReadonlySet<string> {
  const texts = lines.map((line) => line.slice(timePrefix.exec(line)?.[0].length ?? 0));
  return findPrefixNames(
    texts.filter((line, i) => line !== '' && (i === 0 || lines[i - 1] === '' || line.includes(':'))),
  );
}

/** The turn that begins with this line; null for a line that continues one. */
function turnOf(
  line: string,
  number: number,
  { names, afterBlank }: { names: ReadonlySet<string>; afterBlank: boolean },
): Turn | null {
  const bare = afterBlank ? bareHeading.exec(line) : null;
  const head = heading.exec(line) ?? (bare && looksLikeName(bare[1] ?? '') ? bare : null);
  if (head && isTime(head.slice(2, 6))) {
    const speaker = speakerNameOf((head[1] ?? '').replace(/:$/, ''));
    return { line: number, start: secondsOf(head.slice(2, 6)), speaker, lines: [] };
  }
  const timed = timePrefix.exec(line);
  const groups = timed?.slice(timed[2] === undefined ? 5 : 1) ?? [];
  const hasTime = timed !== null && isTime(groups);
  const rest = hasTime ? line.slice(timed[0].length) : line;
  const { speaker, text } = splitSpeakerPrefix(rest, names);
  if (!hasTime && speaker === null) return null;
  return { line: number, start: hasTime ? secondsOf(groups) : null, speaker, lines: text === '' ? [] : [text] };
}

function isTime([, minutes, seconds]: (string | undefined)[]): boolean {
  return Number(minutes) < 60 && Number(seconds) < 60;
}

function secondsOf([hours, minutes, seconds, fraction]: (string | undefined)[]): number {
  const whole = Number(hours ?? 0) * 3600 + Number(minutes) * 60 + Number(seconds);
  return whole + Number((fraction ?? '0').padEnd(3, '0')) / 1000;
}

function divide(text: string): string[] {
  if (text.length <= maxLetters) return [text];
  const parts: string[] = [''];
  for (const sentence of text.split(/(?<=[.!?…。！？])\s+/u)) {
    const longer = `${parts.at(-1) ?? ''} ${sentence}`.trim();
    if (longer.length <= maxLetters) parts[parts.length - 1] = longer;
    else parts.push(sentence);
  }
  return parts.filter((part) => part !== '');
}
