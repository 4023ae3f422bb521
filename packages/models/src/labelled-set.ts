import { readdir, readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { ModelError } from './errors.ts';
import type { SpeakerTurn } from './scoring.ts';

/** A recording with what was said in it, and by whom. */
export type LabelledRecording = {
  readonly id: string;
  readonly audio: string;
  /** Utterances in their order; null: no reference text. */
  readonly utterances: readonly string[] | null;
  /** null: no reference turns. */
  readonly turns: readonly SpeakerTurn[] | null;
};

const audioTypes = new Set(['.wav', '.flac', '.mp3', '.m4a', '.ogg', '.opus', '.mp4', '.webm', '.sph']);

/** Reads a folder of recordings, each with `.stm` or `.txt` and optionally `.rttm` beside it. */
export async function readLabelledSet(folder: string): Promise<LabelledRecording[]> {
  const names = await readdir(folder).catch(() => {
    throw new ModelError('set_invalid', `The folder ${folder} cannot be read.`);
  });
  const present = new Set(names);
  const recordings: LabelledRecording[] = [];
  for (const name of names.filter((candidate) => audioTypes.has(extname(candidate).toLowerCase())).sort()) {
    const id = basename(name, extname(name));
    const read = (type: string) => (present.has(id + type) ? readFile(join(folder, id + type), 'utf8') : undefined);
    const [stm, text, rttm] = await Promise.all([read('.stm'), read('.txt'), read('.rttm')]);
    const utterances = stm === undefined ? (text === undefined ? null : linesOf(text)) : parseStm(stm);
    recordings.push({ id, audio: join(folder, name), utterances, turns: rttm === undefined ? null : parseRttm(rttm) });
  }
  const labelled = recordings.filter(({ utterances, turns }) => utterances !== null || turns !== null);
  if (labelled.length > 0) return labelled;
  throw new ModelError(
    'set_invalid',
    `${folder} has no recording with a .txt, .stm or .rttm file of the same name beside it.`,
  );
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
}

/** `file channel speaker start end [<labels>] text`; `;;` begins a comment. */
export function parseStm(text: string): string[] {
  const lines = linesOf(text).filter((line) => !line.startsWith(';;'));
  const parsed = lines.map((line) => {
    const [, , , start, end, ...words] = line.split(/\s+/);
    if (words[0]?.startsWith('<')) words.shift();
    if (Number.isNaN(Number(start)) || Number.isNaN(Number(end)))
      throw new ModelError('set_invalid', `This line is not of the format STM: ${line.slice(0, 100)}`);
    return { start: Number(start), text: words.join(' ') };
  });
  return parsed
    .filter((line) => !/ignore_time_segment_in_scoring/i.test(line.text))
    .sort((x, y) => x.start - y.start)
    .map((line) => line.text);
}

/** `SPEAKER file channel start duration <NA> <NA> name ...`; other kinds of lines have no turns. */
export function parseRttm(text: string): SpeakerTurn[] {
  return linesOf(text)
    .map((line) => line.split(/\s+/))
    .filter(([kind]) => kind === 'SPEAKER')
    .map(([, , , start, duration, , , speaker = '']) => {
      const turn = { start: Number(start), end: Number(start) + Number(duration), speaker };
      if (Number.isNaN(turn.end)) throw new ModelError('set_invalid', 'A line of an RTTM file has no times.');
      return turn;
    });
}
