import { execFile } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { createRandom, type Random } from './random.ts';

const run = promisify(execFile);

/** A person who recorded the prompts of a package of the distribution. */
export type Reader = { name: string; aptPackage: string; folder: string };

/** Their voices took no part in the calibration of the embeddings. */
export const readers: readonly Reader[] = [
  { name: 'Allison', aptPackage: 'asterisk-core-sounds-en-g722', folder: 'en_US_f_Allison' },
  { name: 'June', aptPackage: 'asterisk-core-sounds-fr-g722', folder: 'fr_CA_f_June' },
  { name: 'Carlo', aptPackage: 'asterisk-core-sounds-it-g722', folder: 'it_IT_m_Carlo' },
  { name: 'IvrvoiceRU', aptPackage: 'asterisk-core-sounds-ru-g722', folder: 'ru_RU_f_IvrvoiceRU' },
  // These three have the band of a telephone.
  { name: 'Menardi', aptPackage: 'asterisk-prompt-it-menardi-wav', folder: 'it_IT_f_Menardi' },
  { name: 'Armelle', aptPackage: 'asterisk-prompt-fr-armelle', folder: 'fr' },
  { name: 'July', aptPackage: 'asterisk-prompt-es-co', folder: 'es' },
];

const sounds = '/usr/share/asterisk/sounds';
/** Tones, silence and imitated animals. */
const withoutSpeech = /beep|tone|tt-|silence/;
/** Of a second of sound; the prompts have no other forms. */
const bytesOf: Record<string, number> = { '.g722': 8_000, '.wav': 16_000, '.gsm': 1_650 };

/** The packages of readers that are not installed. */
export async function missingReaders(): Promise<string[]> {
  const missing = await Promise.all(
    readers.map(async ({ aptPackage }) => {
      const isThere = await stat(`/usr/share/doc/${aptPackage}`).then(
        () => true,
        () => false,
      );
      return isThere ? [] : [aptPackage];
    }),
  );
  return missing.flat();
}

/**
 * Recordings of 20 to 60 seconds of one reader as files: prompts in random order, with pauses in between. No two
 * recordings have a prompt in common.
 */
export async function* readAloud(reader: Reader, count: number, folder: string): AsyncGenerator<string> {
  const random = createRandom(reader.name.length * 7_919 + reader.name.charCodeAt(0));
  const left = await promptsOf(reader, random);
  for (let i = 0; i < count; i++) {
    const wanted = random.between(20, 60);
    const prompts: string[] = [];
    for (let seconds = 0; seconds < wanted;) {
      const prompt = left.pop();
      if (!prompt) throw new Error(`${reader.aptPackage} has too few prompts for ${count} recordings`);
      prompts.push(prompt.path);
      seconds += prompt.seconds;
    }
    const path = join(folder, `${reader.name}-${i + 1}.wav`);
    await join16kHz(prompts, path, random);
    yield path;
  }
}

async function promptsOf({ folder }: Reader, random: Random): Promise<{ path: string; seconds: number }[]> {
  const root = join(sounds, folder);
  const names = (await readdir(root, { recursive: true })).toSorted();
  const prompts: { path: string; seconds: number; order: number }[] = [];
  for (const name of names) {
    const bytes = bytesOf[extname(name)];
    if (bytes === undefined || withoutSpeech.test(name) || basename(name).startsWith('.')) continue;
    const path = join(root, name);
    const seconds = (await stat(path)).size / bytes;
    if (seconds >= 0.5) prompts.push({ path, seconds, order: random.next() });
  }
  return prompts.toSorted((x, y) => x.order - y.order);
}

async function join16kHz(prompts: readonly string[], target: string, random: Random): Promise<void> {
  const padded = prompts.map(
    (_, i) => `[${i}:a]aresample=16000,apad=pad_dur=${random.between(0.2, 0.6).toFixed(2)}[p${i}]`,
  );
  const joined = `${prompts.map((_, i) => `[p${i}]`).join('')}concat=n=${prompts.length}:v=0:a=1`;
  const inputs = prompts.flatMap((prompt) => ['-i', prompt]);
  const filter = [...padded, joined].join(';');
  await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...inputs, '-filter_complex', filter, '-ac', '1', target]);
}
