import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Word } from '@overtone/contracts';
import { librivox } from '../../test/utterances.ts';
import { record } from '@overtone/testkit/recordings';
import { pullWhisper, startWhisper, type RealWhisper } from '../../test/real-whisper.ts';
import { readSamples, sampleRate, wavSeconds } from '../audio/wav.ts';
import type { SpeechEngine } from '../engines/engines.ts';

// On a slow machine, loading a model or decoding a recording takes minutes.
jest.setTimeout(3_600_000);
const run = promisify(execFile);
const sounds = '/usr/share/asterisk/sounds';
const readers: Record<string, string> = {
  en: 'en_US_f_Allison',
  es: 'es_MX_f_Allison',
  fr: 'fr_CA_f_June',
  it: 'it_IT_m_Carlo',
  ru: 'ru_RU_f_IvrvoiceRU',
};
/** The text is that of the list of the package, or what the reader says instead (a verb, a number, the order of words). */
const prompts: readonly (readonly [language: string, name: string, text: string])[] = [
  ['en', 'conf-now-muted', 'The conference is now muted.'],
  ['en', 'conf-onlyperson', 'You are currently the only person in this conference.'],
  ['en', 'dir-nomatch', 'No directory entries match your search.'],
  ['en', 'dir-welcome', 'Welcome to the directory'],
  ['en', 'disabled', 'Disabled.'],
  ['en', 'vm-tempgreetactive', 'Your temporary greeting is currently active'],
  ['es', 'conf-placeintoconf', 'Usted se unirá a la conferencia'],
  ['es', 'queue-callswaiting', 'Esperando por un representante.'],
  ['es', 'vm-pls-try-again', 'Por favor intente de nuevo.'],
  ['es', 'digits/mon-10', 'Noviembre'],
  ['es', 'conf-lockednow', 'La conferencia ha sido bloqueada.'],
  ['es', 'confbridge-conf-end', 'La conferencia ha terminado.'],
  ['fr', 'conf-full', 'Cette conférence est pleine.'],
  ['fr', 'confbridge-conf-end', 'La conférence est maintenant terminée.'],
  ['fr', 'pls-hold-while-try', "Veuillez patienter pendant que l'on achemine votre appel"],
  ['fr', 'confbridge-removed', 'Vous avez été retiré de cette conférence.'],
  ['fr', 'vm-pls-try-again', 'Veuillez essayer de nouveau.'],
  ['fr', 'info-about-last-call', 'Information à propos du dernier appel'],
  ['it', 'conf-extended', 'La conferenza è stata prolungata.'],
  ['it', 'confbridge-conf-begin', 'La conferenza inizia ora'],
  ['it', 'confbridge-only-one', "C'è attualmente solo un altro partecipante alla conferenza."],
  ['it', 'queue-thankyou', 'Grazie per la tua pazienza'],
  ['it', 'vm-toreply', 'Premere uno per mandare una risposta'],
  ['it', 'confbridge-unlocked', 'La conferenza è ora sbloccata.'],
  ['ru', 'check-number-dial-again', 'Пожалуйста, проверьте номер и наберите еще раз.'],
  ['ru', 'conf-errormenu', 'Неверный выбор'],
  ['ru', 'pls-try-call-later', 'Попробуйте позвонить позднее.'],
  ['ru', 'vm-reenterpassword', 'Введите пароль и нажмите решетку.'],
  ['ru', 'confbridge-conf-end', 'Конференция завершена'],
  ['ru', 'call-forwarding', 'Переадресация вызовов.'],
];
const music = ['macroform-cold_day', 'macroform-robot_dity', 'manolo_camp-morning_coffee', 'reno_project-system'];
const withoutSpeech: readonly (readonly [name: string, input: readonly string[]])[] = [
  ['silence', ['-f', 'lavfi', '-i', 'anullsrc=r=16000:d=20']],
  ...['white', 'pink', 'brown'].map(
    (colour) => [`${colour} noise`, ['-f', 'lavfi', '-i', `anoisesrc=c=${colour}:a=0.3:seed=27:r=16000:d=20`]] as const,
  ),
  ['a hum', ['-f', 'lavfi', '-i', tone([50])]],
  ['a ringing phone', ['-f', 'lavfi', '-i', tone([440, 480], 2)]],
  ['a busy line', ['-f', 'lavfi', '-i', tone([480, 620])]],
  ...music.map((title) => [`music (${title})`, ['-t', '60', '-i', `/usr/share/asterisk/moh/${title}.g722`]] as const),
];

/** A signal of 20 s, in seconds 0 to `until` of every six. */
function tone(frequencies: readonly number[], until = 6): string {
  const waves = frequencies.map((hertz) => `sin(2*PI*${hertz}*t)`).join('+');
  return `aevalsrc='lt(mod(t,6),${until})*0.3*(${waves})':s=16000:d=20`;
}

function promptOf(language: string, name: string): string[] {
  return ['-i', join(sounds, readers[language] ?? '', `${name}.g722`)];
}

let root = '';
function pathOf(name: string): string {
  return join(root, `${name}.wav`);
}

/** Makes a 16 kHz mono file as the worker writes it. @param input arguments of ffmpeg. */
async function make(name: string, input: readonly string[]): Promise<string> {
  const plain = ['-ar', '16000', '-ac', '1', '-c:a', 'pcm_s16le', '-bitexact', '-map_metadata', '-1'];
  await run('ffmpeg', ['-nostdin', '-v', 'error', '-y', ...input, ...plain, pathOf(name)]);
  return pathOf(name);
}

/** An engine of this model, started before the tests of a `describe`, and what it makes of a file. */
function useEngine(model: RealWhisper) {
  let engine: SpeechEngine;
  beforeAll(async () => {
    const folder = join(root, model);
    await pullWhisper(folder, model);
    // Threads that wait for each other cost most of the time on a busy machine.
    engine = startWhisper(folder, { threads: 1 });
    expect(await engine.check()).toEqual({ ready: true });
  });
  afterAll(() => engine.close());
  return async (wavPath: string, language: string | null = null): Promise<Word[]> => {
    const seconds = await wavSeconds(wavPath);
    const { words } = await engine.transcribe({ wavPath, seconds, language });
    expectInOrder(words, seconds);
    return words;
  };
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'overtone-sounds-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

describe('30 prompts of one to four seconds in five languages, Whisper base', () => {
  const transcribe = useEngine('faster-whisper-base');
  const rows: string[] = [];
  // eslint-disable-next-line no-console -- the table of the run
  afterAll(() => console.info(rows.join('\n')));

  it.each(prompts)('%s %s: every word once, and none invented', async (language, name, text) => {
    const words = await transcribe(await make('prompt', promptOf(language, name)), language);
    const seconds = await wavSeconds(pathOf('prompt'));
    expect(seconds).toBeGreaterThan(0.9);
    expect(seconds).toBeLessThan(4);
    const wrong = distance(lettersOf(text), lettersOf(textOf(words)));
    rows.push([language, name, seconds.toFixed(2), text, textOf(words), wrong, words.at(-1)?.end].join(' | '));
    expect(words.length).toBeLessThanOrEqual(wordsOf(text).length + 1);
    // A few letters, not words: the model recognises some of them wrongly.
    expect(wrong).toBeLessThanOrEqual(lettersOf(text).length / 4);
  });

  it.each(prompts.filter((_, i) => i % 6 === 3))('%s %s: no word in the silence around it', async (language, name) => {
    const silence = ['-af', 'aresample=16000,adelay=2000,apad=pad_dur=2'];
    const words = await transcribe(await make('padded', [...promptOf(language, name), ...silence]), language);
    const onset = await firstSound(pathOf('padded'));
    expect(words[0]?.start).toBeGreaterThan(onset - 0.3);
    expect(words.at(-1)?.end).toBeLessThan((await wavSeconds(pathOf('padded'))) - 2 + 0.3);
  });
});

describe('sounds, Whisper base', () => {
  const transcribe = useEngine('faster-whisper-base');

  it.each(withoutSpeech)('no words in %s', async (_, input) => {
    expect(await transcribe(await make('sound', input))).toEqual([]);
  });

  it.each(['1', '2', '6', '8'])('at most the one word of 0.3 seconds, of the digit %s', async (digit) => {
    const [input, cut] = [
      join(sounds, 'en_US_f_Allison', 'digits', `${digit}.g722`),
      'silenceremove=1:0:-40dB,atrim=0:0.3',
    ];
    const alone = await transcribe(await make('word', ['-i', input, '-af', cut]), 'en');
    expect(alone.length).toBeLessThanOrEqual(1);
    const between = await transcribe(
      await make('word', ['-i', input, '-af', `${cut},aresample=16000,adelay=2000,apad=pad_dur=2`]),
      'en',
    );
    expect(between.length).toBeLessThanOrEqual(1);
    for (const { start, end } of between) expect(start > 1.7 && end < 2.6).toBe(true);
  });

  it('two people at once: what one of them says, no phrase twice, and no more words than both', async () => {
    const [first, second] = [librivox[0], librivox[3]];
    const inputs = [first, second].flatMap((one) => ['-i', one && 'file' in one ? one.file : '']);
    const mixed = '[0:a][1:a]amix=inputs=2:duration=longest:normalize=0';
    const words = await transcribe(await make('both', [...inputs, '-filter_complex', mixed]), 'en');
    expect(words.length).toBeGreaterThan(5);
    expect(words.length).toBeLessThanOrEqual(wordsOf(`${first?.text} ${second?.text}`).length);
    expect(repeatedPhrases(words, 3)).toEqual([]);
  });
});

describe('a pause of 40 minutes, Whisper tiny.en', () => {
  const transcribe = useEngine('faster-whisper-tiny.en');

  it('has no words, and those before and after it are there once', async () => {
    await record(pathOf('reading'), librivox);
    const length = await wavSeconds(pathOf('reading'));
    const once = await transcribe(pathOf('reading'), 'en');
    const room = ['-f', 'lavfi', '-i', 'anoisesrc=c=brown:a=0.003:seed=27:r=16000:d=2400'];
    const parts = ['-i', pathOf('reading'), ...room, '-i', pathOf('reading')];
    const long = await make('long', [...parts, '-filter_complex', '[0:a][1:a][2:a]concat=n=3:v=0:a=1']);
    const words = await transcribe(long, 'en');
    const before = words.filter(({ end }) => end <= length + 0.5);
    const after = words.filter(({ start }) => start > length + 2399);
    expect(before.length + after.length).toBe(words.length);
    for (const part of [before, after]) {
      const difference = distance(wordsOf(textOf(once)), wordsOf(textOf(part)));
      expect(difference).toBeLessThanOrEqual(once.length / 20);
    }
  });
});

function expectInOrder(words: readonly Word[], seconds: number): void {
  let before = 0;
  for (const { start, end } of words) {
    expect(start).toBeGreaterThanOrEqual(before);
    expect(end).toBeGreaterThanOrEqual(start);
    expect(end).toBeLessThanOrEqual(seconds);
    before = start;
  }
}

/** Seconds until the sound is a thirtieth of its loudest part. */
async function firstSound(path: string): Promise<number> {
  const samples = await readSamples(path, 0, await wavSeconds(path));
  const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
  return samples.findIndex((sample) => Math.abs(sample) > peak / 30) / sampleRate;
}

function textOf(words: readonly Word[]): string {
  return words.map(({ word }) => word).join(' ');
}

function wordsOf(text: string): string[] {
  return text
    .split(/\s+/)
    .map((one) => lettersOf(one).join(''))
    .filter(Boolean);
}

function lettersOf(text: string): string[] {
  const letters = text
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
  return Array.from(letters);
}

/** Phrases of this many words that occur more than once. */
function repeatedPhrases(words: readonly Word[], length: number): string[] {
  const plain = wordsOf(textOf(words));
  const phrases = plain
    .map((_, i) => plain.slice(i, i + length))
    .filter((phrase) => phrase.length === length)
    .map((phrase) => phrase.join(' '));
  return phrases.filter((phrase, i) => phrases.indexOf(phrase) !== i);
}

/** Levenshtein. */
function distance(wanted: readonly string[], found: readonly string[]): number {
  let row = Array.from({ length: found.length + 1 }, (_, column) => column);
  for (const [i, one] of wanted.entries()) {
    const next = [i + 1];
    for (const [column, other] of found.entries())
      next.push(
        Math.min((row[column] ?? 0) + (one === other ? 0 : 1), (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
}
