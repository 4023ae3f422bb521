import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const testData = '/usr/share/pocketsphinx/test/data';

/** Either a text for one of flite's voices, or a file in which a real person speaks it. */
export type Utterance = { voice: 'slt' | 'rms' | 'awb'; text: string } | { file: string; voice: string; text: string };

/** One speaker's turn in a generated recording: voice, times and text. */
export type SpokenTurn = { voice: string; start: number; end: number; text: string };
/** A recording whose content is known. */
export type Recording = { path: string; duration: number; turns: SpokenTurn[] };

/** Two voices that PocketSphinx recognizes nearly perfectly; every turn begins with a unique word. */
export const meeting: readonly Utterance[] = [
  { voice: 'slt', text: 'Good morning. Thank you for coming to the meeting today.' },
  { voice: 'rms', text: 'Good morning. I have the report on the new building with me.' },
  { voice: 'slt', text: 'The deadline for the report is in March. Can we finish the work before then?' },
  { voice: 'rms', text: 'Workers need two more weeks and the money is in the bank.' },
  { voice: 'slt', text: 'How many people are working on the project at this moment?' },
  { voice: 'rms', text: 'Seven people. One of them is leaving for the holidays on Monday.' },
  { voice: 'slt', text: 'Please send me a letter with the names of all the people before the end of the week.' },
  { voice: 'rms', text: 'Windows are too expensive. We should talk about the price of the windows on Friday.' },
];

/** A recording about another topic, so that a search has to distinguish the two. */
export const cooking: readonly Utterance[] = [
  { voice: 'rms', text: 'Today we are going to cook a soup with potatoes and rice.' },
  { voice: 'slt', text: 'Onions go into the pot first. Then we add the water and some salt.' },
  { voice: 'rms', text: 'After twenty minutes the soup is hot and everybody can eat.' },
];

/** Two real people: a woman reading Jane Austen and a man naming playing cards. */
export const realVoices: readonly Utterance[] = [
  {
    file: `${testData}/librivox/sense_and_sensibility_01_austen_64kb-0880.wav`,
    voice: 'reader',
    text: 'he was not an ill disposed young man',
  },
  { file: `${testData}/cards/005.wav`, voice: 'cards', text: 'eight of spades four of clubs seven of hearts' },
  {
    file: `${testData}/librivox/sense_and_sensibility_01_austen_64kb-0890.wav`,
    voice: 'reader',
    text: 'unless to be rather cold hearted and rather selfish is to be ill disposed',
  },
  { file: `${testData}/cards/001.wav`, voice: 'cards', text: 'ten of clubs' },
  {
    file: `${testData}/librivox/sense_and_sensibility_01_austen_64kb-0930.wav`,
    voice: 'reader',
    text: 'he might even have been made amiable himself',
  },
];

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

/** Converts a WAV to the format of the target's file extension. */
export async function convert(from: string, to: string): Promise<string> {
  await run('ffmpeg', ['-v', 'error', '-y', '-i', from, to]);
  return to;
}

/** A small MP4 with a moving picture and the sound of `from`. */
export async function film(from: string, to: string): Promise<string> {
  await run('ffmpeg', [
    '-v',
    'error',
    '-y',
    '-f',
    'lavfi',
    '-i',
    'testsrc=size=320x180:rate=10',
    '-i',
    from,
    '-shortest',
    to,
  ]);
  return to;
}

/** Writes a file whose content can contradict its extension. */
export async function write(path: string, content: string | Uint8Array): Promise<string> {
  await writeFile(path, content);
  return path;
}

/** When the first turn that begins with `word` is spoken. */
export function spokenAt(recording: Recording, word: string): number {
  const turn = recording.turns.find((turn) => turn.text.toLowerCase().startsWith(word.toLowerCase()));
  if (!turn) throw new Error(`no turn begins with ${word}`);
  return turn.start;
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
