import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Either a text for one of flite's voices, or a file in which a real person speaks it. */
export type Utterance =
  { voice: 'slt' | 'rms' | 'awb' | 'kal16'; text: string } | { file: string; voice: string; text: string };

/** One speaker's turn in a generated recording: voice, times and text. */
export type SpokenTurn = { voice: string; start: number; end: number; text: string };
/** A recording whose content is known. */
export type Recording = { path: string; duration: number; turns: SpokenTurn[] };

/** Joins utterances into one 16 kHz mono WAV at `path`. */
export function record(path: string, utterances: readonly Utterance[], pause = 0.4): Promise<Recording> {
  return inTemporaryFolder(async (folder) => {
    const turns: SpokenTurn[] = [];
    const parts: string[] = [];
    let at = 0;
    for (const [index, utterance] of utterances.entries()) {
      const part = await render(utterance, folder, index, pause);
      const length = await lengthOf(part);
      turns.push({ voice: utterance.voice, start: at, end: at + length - pause, text: utterance.text });
      parts.push(part);
      at += length;
    }
    await run('sox', [...parts, path]);
    return { path, duration: at, turns };
  });
}

/** Repeats the utterances and cuts the recording at `seconds`. */
export function recordLong(path: string, utterances: readonly Utterance[], seconds: number): Promise<Recording> {
  return inTemporaryFolder(async (folder) => {
    const once = await record(join(folder, 'once.wav'), utterances);
    const times = Math.ceil(seconds / once.duration);
    await run('sox', [once.path, path, 'repeat', String(times - 1), 'trim', '0', String(seconds)]);
    const turns = Array.from({ length: times }, (_, index) =>
      once.turns.map((turn) => ({
        ...turn,
        start: turn.start + index * once.duration,
        end: turn.end + index * once.duration,
      })),
    ).flat();
    return { path, duration: seconds, turns };
  });
}

async function inTemporaryFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'overtone-recording-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function render(utterance: Utterance, folder: string, index: number, pause: number): Promise<string> {
  const raw = 'file' in utterance ? utterance.file : join(folder, `${index}-raw.wav`);
  if (!('file' in utterance)) await run('flite', ['-voice', utterance.voice, '-t', utterance.text, '-o', raw]);
  const even = join(folder, `${index}.wav`);
  await run('sox', [raw, '-r', '16000', '-c', '1', '-b', '16', even, 'norm', '-3', 'pad', '0', String(pause)]);
  return even;
}

async function lengthOf(path: string): Promise<number> {
  return Number((await run('soxi', ['-D', path])).stdout);
}
