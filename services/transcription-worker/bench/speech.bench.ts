import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findPlace, listInstalled, readLabelledSet, score, type Evaluation } from '@overtone/models';
import { defaultSpeechEnvironment } from '../src/env.ts';
import { createBabble, createConversation, type Conversation, type ConversationSet } from './conversations.ts';
import { conversationOfReaders } from './diarization.bench.ts';
import { readCalendar, readers } from './readers.ts';
import { conditions, degrade, type Condition } from './rooms.ts';
import { record } from '@overtone/testkit/recordings';
import { librivox as reading } from '../test/utterances.ts';

const run = promisify(execFile);
const librivox = '/usr/share/pocketsphinx/test/data/librivox';
const bare = join(import.meta.dirname, 'bare.py');

export type SpeechRow = { name: string; ours: string; peer?: string; ratio?: number; goal?: string; met?: boolean };
export type SpeechBench = {
  folder: string;
  /** Number of conversations of two, of three and of four speakers in each set and condition. */
  each: number;
  /** Folder of the installed models. */
  models: string;
  /** Runs `./overtone models evaluate` on a set, in any language. */
  evaluate: (model: string, set: string) => Promise<Evaluation>;
};

/** Words, speed, memory and speakers of every installed engine, on sets that it makes of public recordings. */
export async function* measureSpeech({ folder, each, models, evaluate }: SpeechBench): AsyncGenerator<SpeechRow> {
  const engines = (await listInstalled(models)).filter(({ kind, fault }) => kind === 'asr' && fault === null);
  const sets = { librivox: join(folder, 'librivox'), calendars: join(folder, 'calendars'), long: join(folder, 'long') };
  await makeLibrivox(sets.librivox);
  await makeCalendars(sets.calendars);
  for (const { name, languages } of [...engines, { name: 'pocketsphinx', languages: ['en'] }]) {
    const read = await evaluate(name, sets.librivox);
    yield { name: `speech: ${name}, LibriVox`, ours: figuresOf(read), ...goalOf(name, read) };
    if (languages.join() === 'en') continue;
    yield { name: `speech: ${name}, words in five languages`, ours: figuresOf(await evaluate(name, sets.calendars)) };
  }
  const minutes = await makeLongReading(sets.long, 600 * Math.min(1, each / 3));
  for (const engine of engines.filter(({ family }) => family === 'faster-whisper')) {
    yield* besideBare(engine.name, { models, set: sets.librivox, of: 'LibriVox', evaluate });
    yield* besideBare(engine.name, { models, set: sets.long, of: `${minutes} minutes`, goal: 1.1, evaluate });
  }

  const first = engines[0]?.name ?? 'pocketsphinx';
  for await (const { name, set } of conversationSets(folder, each)) {
    const found = await evaluate(first, set);
    yield { name: `speech: ${first}, ${name}`, ours: figuresOf(found) };
  }
}

/** Speech that people read, with its text. */
async function makeLibrivox(set: string): Promise<void> {
  await mkdir(set, { recursive: true });
  const lines = (await readFile(join(librivox, 'transcription'), 'utf8')).split('\n').filter(Boolean);
  for (const line of lines) {
    const [, text = '', id = ''] = /^<s>(.*)<\/s>\s*\((.*)\)/.exec(line) ?? [];
    await writeFile(join(set, `${id}.txt`), text.trim());
    await copyFile(join(librivox, `${id}.wav`), join(set, `${id}.wav`));
  }
}

/** The reader of LibriVox again and again, up to `seconds`. @returns its length in minutes */
async function makeLongReading(set: string, seconds: number): Promise<string> {
  await mkdir(set, { recursive: true });
  const once = await record(join(set, 'reading.wav'), reading);
  const utterances = Array.from({ length: Math.max(1, Math.floor(seconds / once.duration)) }, () => reading).flat();
  const { duration, turns } = await record(join(set, 'reading.wav'), utterances);
  await writeFile(join(set, 'reading.txt'), turns.map(({ text }) => text).join('\n'));
  return (duration / 60).toFixed(1);
}

/** What readers of the prompts say: the days of the week from Sunday, and the months. */
const calendars: Record<string, string> = {
  Allison:
    'Sunday Monday Tuesday Wednesday Thursday Friday Saturday January February March April May June July August September October November December',
  June: 'dimanche lundi mardi mercredi jeudi vendredi samedi janvier février mars avril mai juin juillet août septembre octobre novembre décembre',
  Carlo:
    'domenica lunedì martedì mercoledì giovedì venerdì sabato gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre',
  IvrvoiceRU:
    'воскресенье понедельник вторник среда четверг пятница суббота январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь',
  July: 'domingo lunes martes miércoles jueves viernes sábado enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre',
};

async function makeCalendars(set: string): Promise<void> {
  await mkdir(set, { recursive: true });
  for (const reader of readers.filter(({ name }) => calendars[name] !== undefined)) {
    await readCalendar(reader, join(set, `${reader.name}.wav`));
    await writeFile(join(set, `${reader.name}.txt`), calendars[reader.name] ?? '');
  }
}

type Beside = Pick<SpeechBench, 'models' | 'evaluate'> & { set: string; of: string; goal?: number };

/** The same recordings by the library itself: the cost of everything that the product adds, in wall time and in processor. */
async function* besideBare(name: string, { models, set, of, goal, evaluate }: Beside): AsyncGenerator<SpeechRow> {
  const { folder: model } = await findPlace(models, name);
  const recordings = await readLabelledSet(set);
  const python = join(defaultSpeechEnvironment, 'bin', 'python');
  const paths = recordings.map(({ audio }) => audio);
  const startedAt = performance.now();
  const { stdout } = await run(python, ['-s', '-B', bare, model, String(availableParallelism()), ...paths]);
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { text: string; seconds: number; processor: number; peak_mib: number });
  // With the start of Python and the loading of the model, for which the first recording of the product waits, too.
  const wall = (performance.now() - startedAt) / 1000;
  const { processor = 0, peak_mib = 0 } = lines.pop() ?? {};
  const peer = await score({
    set: 'bare',
    recordings,
    recognitions: lines.map(({ text, seconds }, i) => ({
      id: recordings[i]?.id ?? '',
      seconds,
      engineSeconds: wall / lines.length,
      processorSeconds: processor / lines.length,
      text,
      diarization: null,
    })),
    peakMemoryMib: Math.round(peak_mib),
  });
  const ours = await evaluate(name, set);
  const row = { ours: figuresOf(ours), peer: figuresOf(peer) };
  for (const [unit, factor] of [
    ['wall time', 'real_time_factor'],
    ['processor', 'processor_factor'],
  ] as const) {
    const ratio = (ours[factor] ?? NaN) / (peer[factor] ?? NaN);
    const judged = goal === undefined ? {} : { goal: `<= ${goal.toFixed(2)}`, met: ratio <= goal };
    yield { name: `speech: ${name} beside the bare library, ${of}, ${unit}`, ...row, ratio, ...judged };
  }
}

const groups: readonly { name: string; of: (condition: Condition) => boolean }[] = [
  { name: 'clean', of: ({ goal }) => goal === 'clean' },
  { name: 'degraded', of: ({ goal }) => goal === 'degraded' },
];

/** Conversations with reference turns: of synthetic voices with their text, and of real readers. */
async function* conversationSets(folder: string, each: number): AsyncGenerator<{ name: string; set: string }> {
  const speech = join(folder, 'speech');
  await mkdir(speech, { recursive: true });
  const babble = await createBabble(6, 60, 7, speech);
  for (const { name, of } of groups)
    for (const who of ['held out', 'readers'] as const) {
      const set = join(folder, `${who}, ${name}`);
      await mkdir(set, { recursive: true });
      for (const condition of conditions.filter(of))
        for (let index = 0; index < 3 * each; index++) {
          const conversation = await converseAs(who, index, 2 + Math.floor(index / each), condition, speech);
          const id = `${condition.name.replaceAll(/\W+/g, '-')}-${index + 1}`;
          await writeFile(join(set, `${id}.wav`), degrade(conversation, condition, 600 + index, babble));
          await writeFile(join(set, `${id}.rttm`), rttmOf(id, conversation));
          if (who === 'held out') await writeFile(join(set, `${id}.stm`), stmOf(id, conversation));
        }
      yield { name: `${who === 'readers' ? 'real readers' : 'synthetic voices'}, ${name}`, set };
    }
}

function converseAs(
  who: ConversationSet | 'readers',
  index: number,
  speakers: number,
  condition: Condition,
  folder: string,
): Promise<Conversation> {
  if (who === 'readers') return conversationOfReaders(index, speakers, condition, folder);
  return createConversation({ set: who, index, speakers, overlap: condition.overlap, folder });
}

function rttmOf(id: string, { turns }: Conversation): string {
  return turns
    .map(({ speaker, start, end }) => {
      const name = speaker.replaceAll(/\s+/g, '_');
      return `SPEAKER ${id} 1 ${start.toFixed(3)} ${(end - start).toFixed(3)} <NA> <NA> ${name} <NA> <NA>`;
    })
    .join('\n');
}

function stmOf(id: string, { turns }: Conversation): string {
  return turns
    .map(({ speaker, start, end, text }) =>
      [id, '1', speaker.replaceAll(/\s+/g, '_'), start.toFixed(3), end.toFixed(3), text].join(' '),
    )
    .join('\n');
}

/** Of the five recordings, English engines of the Whisper family from base up. */
function goalOf(name: string, { wer }: Evaluation): Pick<SpeechRow, 'goal' | 'met'> {
  if (!/^faster-whisper-(?!tiny)/.test(name) || !wer) return {};
  return { goal: 'WER <= 4 %', met: wer.value <= 0.04 };
}

function figuresOf({ wer, der, speakers, ...of }: Evaluation): string {
  return [
    wer && `WER ${percent(wer.value)} (${percent(wer.low)} to ${percent(wer.high)})`,
    der && `DER ${percent(der.value)} (collar ${der.collar_s} s, ${der.method})`,
    of.sctk?.der != null && `md-eval ${percent(of.sctk.der)}`,
    speakers && `number of speakers right ${speakers.right} of ${speakers.of}`,
    `${of.real_time_factor.toFixed(2)} s of wall time`,
    of.processor_factor !== null && `${of.processor_factor.toFixed(2)} s of processor a second`,
    of.peak_memory_mib !== null && `${of.peak_memory_mib} MiB`,
  ]
    .filter((part) => typeof part === 'string')
    .join(', ');
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
