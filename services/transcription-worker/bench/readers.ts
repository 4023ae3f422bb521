import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { readSamples, wavSeconds } from '../src/audio/wav.ts';
import type { Speaker } from './conversations.ts';
import { createRandom, type Random } from './random.ts';

const run = promisify(execFile);

/** A person who recorded prompts: of the packages `asterisk-…` that `./overtone bench` installs. `isNarrow`: with the band of a telephone. */
export type Reader = { name: string; folder: string; isNarrow?: true };

/** Their voices took no part in the calibration of the embeddings. */
export const readers: readonly Reader[] = [
  { name: 'Allison', folder: 'en_US_f_Allison' },
  { name: 'June', folder: 'fr_CA_f_June' },
  { name: 'Carlo', folder: 'it_IT_m_Carlo' },
  { name: 'IvrvoiceRU', folder: 'ru_RU_f_IvrvoiceRU' },
  { name: 'Menardi', folder: 'it_IT_f_Menardi', isNarrow: true },
  { name: 'Armelle', folder: 'fr', isNarrow: true },
  { name: 'July', folder: 'es', isNarrow: true },
];

const sounds = '/usr/share/asterisk/sounds';
/** Tones, silence and imitated animals. */
const withoutSpeech = /beep|tone|tt-|silence/;
/** Of a second of sound; the prompts have no other forms. */
const bytesOf: Record<string, number> = { '.g722': 8_000, '.wav': 16_000, '.gsm': 1_650 };

/**
 * Recordings of 20 to 60 seconds of one reader as files: prompts in random order, with pauses in between. No two
 * recordings have a prompt in common.
 */
export async function* readAloud(reader: Reader, count: number, folder: string): AsyncGenerator<string> {
  const random = createRandom(reader.name.length * 7_919 + reader.name.charCodeAt(0));
  const left = await promptsOf(reader, random);
  for (let i = 0; i < count; i++) {
    const prompts = takePrompts(left, reader, random.between(20, 60));
    const path = join(folder, `${reader.name}-${i + 1}.wav`);
    await join16kHz(prompts, path, random);
    yield path;
  }
}

const weekdays = Array.from({ length: 7 }, (_, day) => `day-${day}`);
const months = Array.from({ length: 12 }, (_, month) => `mon-${month}`);

/** The days of the week from Sunday, and the months, as a 16 kHz file. */
export async function readCalendar({ folder }: Reader, path: string): Promise<void> {
  const digits = join(sounds, folder, 'digits');
  const [type = ''] = (await readdir(digits)).filter((name) => name.startsWith('day-0.')).map(extname);
  const prompts = [...weekdays, ...months].map((name) => join(digits, name + type));
  await join16kHz(prompts, path, createRandom(1));
}

/** A reader who takes part in a conversation; no prompt is read twice. */
export async function readingSpeaker(reader: Reader, folder: string, random: Random): Promise<Speaker> {
  const left = await promptsOf(reader, random);
  const path = join(folder, `${reader.name}.wav`);
  return {
    name: reader.name,
    say: async () => {
      await join16kHz(takePrompts(left, reader, random.between(2, 6)), path, random);
      const samples = await readSamples(path, 0, await wavSeconds(path));
      const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0) || 1;
      return { samples: samples.map((sample) => sample / (2 * peak)), text: null };
    },
  };
}

type Prompt = { path: string; seconds: number };

/** Removes prompts of that many seconds. @returns their files */
function takePrompts(left: Prompt[], { name }: Reader, wanted: number): string[] {
  const taken: string[] = [];
  for (let seconds = 0; seconds < wanted;) {
    const prompt = left.pop();
    if (!prompt) throw new Error(`${name} has too few prompts`);
    taken.push(prompt.path);
    seconds += prompt.seconds;
  }
  return taken;
}

async function promptsOf({ folder }: Reader, random: Random): Promise<Prompt[]> {
  const root = join(sounds, folder);
  const names = (await readdir(root, { recursive: true })).toSorted();
  const prompts: (Prompt & { order: number })[] = [];
  for (const name of names) {
    const bytes = bytesOf[extname(name)];
    if (bytes === undefined || withoutSpeech.test(name) || basename(name).startsWith('.')) continue;
    const path = join(root, name);
    const seconds = (await stat(path)).size / bytes;
    if (seconds >= 0.5) prompts.push({ path, seconds, order: random.next() });
  }
  return prompts.toSorted((x, y) => x.order - y.order);
}

/** A header without further chunks, as the worker writes it. */
const plainWav = ['-c:a', 'pcm_s16le', '-bitexact', '-map_metadata', '-1'];

async function join16kHz(prompts: readonly string[], target: string, random: Random): Promise<void> {
  const padded = prompts.map(
    (_, i) => `[${i}:a]aresample=16000,apad=pad_dur=${random.between(0.2, 0.6).toFixed(2)}[p${i}]`,
  );
  const joined = `${prompts.map((_, i) => `[p${i}]`).join('')}concat=n=${prompts.length}:v=0:a=1`;
  const inputs = prompts.flatMap((prompt) => ['-i', prompt]);
  const filter = [...padded, joined].join(';');
  await run('ffmpeg', [
    '-nostdin',
    '-v',
    'error',
    '-y',
    ...inputs,
    '-filter_complex',
    filter,
    '-ac',
    '1',
    ...plainWav,
    target,
  ]);
}
