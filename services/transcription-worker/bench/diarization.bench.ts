import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { collarSeconds, score, type LabelledRecording, type Recognition } from '@overtone/models';
import { wavSeconds } from '../src/audio/wav.ts';
import { createAcousticDiarizer } from '../src/diarization/acoustic.adapter.ts';
import { createPocketSphinx } from '../src/engines/pocketsphinx.adapter.ts';
import { childEnvironment } from '../src/env.ts';
import {
  converse,
  createBabble,
  createConversation,
  type Conversation,
  type ConversationSet,
} from './conversations.ts';
import { createRandom } from './random.ts';
import { readers, readingSpeaker } from './readers.ts';
import { conditions, degrade, type Condition } from './rooms.ts';

export type DiarizationRow = { name: string; ours: string; goal?: string; met?: boolean };
type Found = { speaker: string; start: number; end: number };
/** Seconds in which several people speak: in the conversation, of these found, and found elsewhere. */
type OverlapSeconds = { spoken: number; found: number; wrong: number };
type Measured = {
  right: number;
  words: number;
  isNumberRight: boolean;
  overlap: OverlapSeconds;
  labelled: LabelledRecording;
  recognition: Recognition;
};

const sets: readonly ConversationSet[] = ['development', 'held out'];
const goals = { clean: { share: 0.97, numbers: 1 }, degraded: { share: 0.85, numbers: 7 / 9 } };

/**
 * Conversations of two to four voices, synthetic ones and real readers, in quiet and in bad rooms, by the diarizer that needs no
 * model. `size` 1
 * measures nine conversations for each condition and recognises the words of every third one.
 */
export async function* measureDiarization(folder: string, size: number): AsyncGenerator<DiarizationRow> {
  const env = childEnvironment();
  const diarizer = createAcousticDiarizer({ env });
  const engine = createPocketSphinx({ env, parallel: () => 1 });
  const isEngineReady = (await engine.check()).ready;
  const speech = join(folder, 'speech');
  await mkdir(speech, { recursive: true });
  const babble = await createBabble(6, 60, 7, speech);
  const each = Math.max(1, Math.round(3 * size));

  async function measure(conversation: Conversation, condition: Condition, seed: number): Promise<Measured> {
    const wavPath = join(folder, 'conversation.wav');
    await writeFile(wavPath, degrade(conversation, condition, seed, babble));
    const seconds = await wavSeconds(wavPath);
    const { turns } = await diarizer.diarize({ wavPath, seconds, minSpeakers: null, maxSpeakers: null });
    const found = turns.map(({ start, end, speaker }) => ({ start, end, speaker: String(speaker) }));
    const isRecognised = isEngineReady && seed % 3 === 0 && conversation.turns.every(({ text }) => text !== null);
    const recognised = isRecognised ? await engine.transcribe({ wavPath, seconds, language: 'en' }) : null;
    const id = conversation.name;
    return {
      ...countWords(conversation, found),
      overlap: countOverlap(conversation.turns, found, seconds),
      isNumberRight: new Set(found.map(({ speaker }) => speaker)).size === conversation.speakers,
      labelled: {
        id,
        audio: wavPath,
        utterances: recognised ? conversation.turns.map(({ text }) => text ?? '') : null,
        turns: conversation.turns,
      },
      recognition: {
        id,
        seconds,
        engineSeconds: recognised?.engineSeconds ?? 0,
        processorSeconds: null,
        text: recognised?.words.map(({ word }) => word).join(' ') ?? '',
        diarization: { method: 'acoustic', turns: found },
      },
    };
  }

  for (const set of sets)
    for (const condition of conditions) {
      const measured: Measured[] = [];
      for (const speakers of [2, 3, 4])
        for (let i = 0; i < each; i++) {
          const index = (speakers - 2) * each + i;
          const request = { set, index, speakers, overlap: condition.overlap, folder: speech };
          const seed = index + (set === 'held out' ? 600 : 300);
          measured.push(await measure(await createConversation(request), condition, seed));
        }
      yield await rowOf(set, condition, measured);
    }
  for (const condition of conditions) {
    const measured: Measured[] = [];
    for (const speakers of [2, 3, 4])
      for (let i = 0; i < each; i++) {
        const index = (speakers - 2) * each + i;
        const conversation = await conversationOfReaders(index, speakers, condition, speech);
        measured.push(await measure(conversation, condition, 900 + index));
      }
    yield await rowOf('readers', condition, measured);
  }
}

export async function conversationOfReaders(index: number, speakers: number, { overlap }: Condition, folder: string) {
  const random = createRandom(8_000 + index * 17);
  // A narrow band would tell a reader without the voice.
  const left = readers.filter(({ isNarrow }) => !isNarrow);
  const chosen = Array.from({ length: speakers }, () => left.splice(random.below(left.length), 1)[0]!);
  const speaking = [];
  for (const reader of chosen) speaking.push(await readingSpeaker(reader, folder, random));
  return converse(speaking, { name: `readers ${index + 1}`, overlap, random });
}

async function rowOf(
  set: ConversationSet | 'readers',
  condition: Condition,
  measured: readonly Measured[],
): Promise<DiarizationRow> {
  const { der, wer, sctk } = await score({
    set,
    recordings: measured.map(({ labelled }) => labelled),
    recognitions: measured.map(({ recognition }) => recognition),
    peakMemoryMib: null,
  });
  const share = sum(measured.map(({ right }) => right)) / sum(measured.map(({ words }) => words));
  const numbers = measured.filter(({ isNumberRight }) => isNumberRight).length;
  const parts = [
    `words ${percent(share)}`,
    `number right ${numbers} of ${measured.length}`,
    `DER ${percent(der?.value ?? 0)} (collar ${collarSeconds} s${typeof sctk?.der === 'number' ? `, md-eval ${percent(sctk.der)}` : ''})`,
    overlapOf(measured.map(({ overlap }) => overlap)),
    wer ? `WER PocketSphinx ${percent(wer.value)}` : 'no engine',
  ];
  const row = { name: `diarization: ${set}, ${condition.name}`, ours: parts.join(', ') };
  if (set !== 'held out' || condition.goal === undefined) return row;
  const goal = goals[condition.goal];
  const least = Math.floor(goal.numbers * measured.length);
  return {
    ...row,
    goal: `words ${percent(goal.share)}, number right ${least}`,
    met: share >= goal.share && numbers >= least,
  };
}

/** Of utterances whose text is not known. */
const wordsPerSecond = 2.5;

/** Words of the reference, evenly over their utterance, that lie in a turn of their own speaker, or next to one. */
export function countWords({ turns }: Conversation, found: readonly Found[]): { right: number; words: number } {
  const counts = new Map<string, Map<string, number>>();
  let words = 0;
  for (const { speaker, start, end, text } of turns) {
    const own = counts.get(speaker) ?? new Map<string, number>();
    counts.set(speaker, own);
    const count = text === null ? Math.round(wordsPerSecond * (end - start)) : text.split(' ').length;
    for (let word = 0; word < count; word++) {
      const label = nearestSpeaker(found, start + ((word + 0.5) / count) * (end - start));
      own.set(label, (own.get(label) ?? 0) + 1);
    }
    words += count;
  }
  return { right: bestMatch([...counts.values()], new Set()), words };
}

function countOverlap(spoken: readonly Found[], found: readonly Found[], seconds: number): OverlapSeconds {
  const step = 0.01;
  const count: OverlapSeconds = { spoken: 0, found: 0, wrong: 0 };
  for (let time = step / 2; time < seconds; time += step) {
    const [isSpoken, isFound] = [areSeveral(spoken, time), areSeveral(found, time)];
    if (isSpoken) count.spoken += step;
    if (isFound && isSpoken) count.found += step;
    if (isFound && !isSpoken) count.wrong += step;
  }
  return count;
}

function areSeveral(turns: readonly Found[], time: number): boolean {
  return new Set(turns.filter(({ start, end }) => start <= time && time < end).map(({ speaker }) => speaker)).size > 1;
}

function overlapOf(counts: readonly OverlapSeconds[]): string {
  const seconds = (key: keyof OverlapSeconds): string => sum(counts.map((count) => count[key])).toFixed(1);
  return `overlap ${seconds('spoken')} s, found ${seconds('found')} s, falsely marked ${seconds('wrong')} s`;
}

function nearestSpeaker(found: readonly Found[], time: number): string {
  let nearest = { distance: Infinity, speaker: '' };
  for (const { start, end, speaker } of found) {
    const distance = Math.max(start - time, time - end, 0);
    if (distance < nearest.distance) nearest = { distance, speaker };
  }
  return nearest.speaker;
}

/** The most words when each voice is matched with a label of its own: at most four voices. */
function bestMatch([first, ...rest]: readonly Map<string, number>[], used: ReadonlySet<string>): number {
  if (first === undefined) return 0;
  const free = [...first].filter(([label]) => !used.has(label));
  const matched = free.map(([label, count]) => count + bestMatch(rest, new Set([...used, label])));
  return Math.max(bestMatch(rest, used), ...matched);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
