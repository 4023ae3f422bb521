import {
  checkRawLength,
  collapseText,
  createCueList,
  linesOf,
  removeMarkup,
  speakerNameOf,
  splitPrefixes,
} from './cues.ts';
import type { ImportedCue, ParsedTranscript, ParseOptions } from './cues.ts';
import { importErrors } from './import-errors.ts';

const assTime = /^\s*(\d{1,4}):(\d{1,2}):(\d{1,2})(?:[.:](\d{1,3}))?\s*$/;

/** Advanced SubStation Alpha: the lines `Dialogue:` of `[Events]`, whose fields the line `Format:` names. */
export function parseAss(text: string, options: ParseOptions): ParsedTranscript {
  const cues: ImportedCue[] = [];
  let fields: string[] = [];
  let isEvents = false;
  linesOf(text).forEach((line, i) => {
    const section = /^\s*\[([^\]]{1,80})\]\s*$/.exec(line)?.[1];
    if (section !== undefined) isEvents = section.trim().toLowerCase() === 'events';
    if (!isEvents) return;
    if (/^\s*format:/i.test(line)) fields = valuesOf(line).map((field) => field.trim().toLowerCase());
    if (/^\s*dialogue:/i.test(line)) cues.push(assCue(line, fields, i + 1));
  });
  return toTranscript(cues, options);
}

function valuesOf(line: string): string[] {
  return line.slice(line.indexOf(':') + 1).split(',');
}

function assCue(line: string, fields: readonly string[], number: number): ImportedCue {
  checkRawLength(line.length, number);
  const values = valuesOf(line);
  const at = (name: string) => values[fields.indexOf(name)] ?? '';
  // The text is the last field and may contain commas.
  const text = values.slice(Math.max(0, fields.length - 1)).join(',');
  // Drawings are no text.
  const said = /\{[^{}]*\\p[1-9]/.test(text) ? '' : text.replaceAll(/\{[^{}]*\}/g, '').replaceAll(/\\[Nnh]/g, ' ');
  return {
    line: number,
    start: assSeconds(at('start'), number),
    end: assSeconds(at('end'), number),
    speaker: speakerNameOf(at('name') || at('actor')),
    text: collapseText(said),
  };
}

function assSeconds(time: string, line: number): number {
  const [, hours, minutes, seconds, fraction = '0'] = assTime.exec(time) ?? [];
  if (Number(minutes ?? 60) > 59 || Number(seconds) > 59)
    throw importErrors.invalid(line, 'The times of this line cannot be read, as in 0:00:01.50.');
  return Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(`0.${fraction}`);
}

const times = String.raw`(\d{1,4}):(\d{2}):(\d{2})[.,](\d{1,3})`;
/** `0:00:01.000,0:00:03.500`: YouTube's SubViewer (.sbv) and SubViewer 2 (.sub). */
export const timeLine = new RegExp(String.raw`^\s*${times},\s?${times}\s*$`);

export function parseSbv(text: string, options: ParseOptions): ParsedTranscript {
  const cues: ImportedCue[] = [];
  linesOf(text).forEach((line, i) => {
    const found = timeLine.exec(line);
    const open = cues.at(-1);
    if (found) {
      const [start, end] = [found.slice(1, 5), found.slice(5, 9)].map(
        ([hours, minutes, seconds, fraction]) =>
          Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(`0.${fraction ?? 0}`),
      );
      cues.push({ line: i + 1, start: start ?? 0, end: end ?? 0, speaker: null, text: '' });
    } else if (open) {
      checkRawLength(open.text.length + line.length, open.line);
      open.text += ` ${line.replaceAll(/\[br\]/gi, ' ')}`;
    } else if (!/^\s*(?:\[.*)?$/.test(line))
      throw importErrors.invalid(i + 1, 'A cue begins with its times, as in 0:00:01.000,0:00:02.500.');
  });
  return toTranscript(
    cues.map((cue) => ({ ...cue, text: collapseText(removeMarkup(cue.text)) })),
    options,
  );
}

/** `{1}{25}text|next line`: MicroDVD, in frames; `[10][25]text`: MPL2, in tenths of a second. */
export const frameLine = /^\s*(?:\{(\d{1,9})\}\{(\d{1,9})\}|\[(\d{1,9})\]\[(\d{1,9})\])(.*)$/;
/** The usual rate of films; a first cue of the frames 1 to 1 names another. */
const framesPerSecond = 23.976;

export function parseMicroDvd(text: string, options: ParseOptions): ParsedTranscript {
  const cues: ImportedCue[] = [];
  let rate = framesPerSecond;
  linesOf(text).forEach((line, i) => {
    const [, start, end, from, to, said = ''] = frameLine.exec(line) ?? [];
    const declared = start === '1' && end === '1' ? Number(said.trim().replace(',', '.')) : NaN;
    if (cues.length === 0 && declared > 0 && declared < 1000) {
      rate = declared;
      return;
    }
    if (start === undefined && from === undefined) {
      if (line.trim() === '') return;
      throw importErrors.invalid(i + 1, 'A cue begins with its frames, as in {25}{75}, or its times, as in [10][25].');
    }
    checkRawLength(said.length, i + 1);
    const unit = start === undefined ? 10 : rate;
    cues.push({
      line: i + 1,
      start: Number(start ?? from) / unit,
      end: Number(end ?? to) / unit,
      speaker: null,
      text: collapseText(removeMarkup(said.replaceAll(/\{[^{}]*\}/g, '').replaceAll('|', ' '))),
    });
  });
  return toTranscript(cues, options);
}

function toTranscript(cues: readonly ImportedCue[], options: ParseOptions): ParsedTranscript {
  const list = createCueList();
  for (const cue of splitPrefixes(cues, options)) list.add(cue);
  return { cues: list.cues, language: null, title: null, markupRemoved: 0 };
}
