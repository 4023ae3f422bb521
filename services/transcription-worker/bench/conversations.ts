import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readSamples, sampleRate, wavSeconds } from '../src/audio/wav.ts';
import { developmentPhrases, heldOutPhrases, utteranceOf } from './phrases.ts';
import { createRandom, type Random } from './random.ts';

const run = promisify(execFile);

/**
 * A voice of flite, or one of espeak-ng (`espeak:` and its name), at its own pitch and vocal tract length (1) or with
 * both changed by a factor.
 */
export type Voice = { base: 'slt' | 'rms' | 'awb' | 'kal16' | `espeak:${string}`; factor: number };
/** Someone who takes part in a conversation. `say`: the next utterance; its text is null when it is not known. */
export type Speaker = { name: string; say: () => Promise<{ samples: Float32Array; text: string | null }> };
export type SpokenTurn = { speaker: string; start: number; end: number; text: string | null };
/** One track of samples for each speaker; their sum is the conversation in a quiet room. */
export type Conversation = { name: string; speakers: number; turns: SpokenTurn[]; tracks: Float32Array[] };
export type ConversationSet = 'development' | 'held out';

const bases = ['slt', 'rms', 'awb', 'kal16'] as const;
/** Beside the voices of the package, each set has further ones of its own. */
const factors = { development: [1, 1, 0.87, 1.13], 'held out': [1, 1, 0.91, 1.1] };
const phrases = { development: developmentPhrases, 'held out': heldOutPhrases };
const seeds = { development: 1000, 'held out': 5000 };
const turnsOfEach = { 1: 8, 2: 6, 3: 4, 4: 4 } as Record<number, number>;

export type ConversationRequest = {
  set: ConversationSet;
  index: number;
  speakers: number;
  /** Share of the turns that begin before the one before has ended. */
  overlap: number;
  folder: string;
};

/** The same conversation for the same request. Speech is kept in the folder, because its synthesis takes most of the time. */
export async function createConversation(request: ConversationRequest): Promise<Conversation> {
  const { set, index, speakers, overlap, folder } = request;
  const random = createRandom(seeds[set] + index * 17 + speakers);
  const voices = voicesOf(set, speakers, random).map((voice) => speakerOf(voice, { set, folder, random }));
  return converse(voices, { name: `${set} ${index + 1}`, overlap, random });
}

/** A synthetic voice that says phrases of the set. */
export function speakerOf(
  voice: Voice,
  { set, folder, random }: Pick<ConversationRequest, 'set' | 'folder'> & { random: Random },
): Speaker {
  return {
    name: nameOf(voice),
    say: async () => {
      const text = utteranceOf(phrases[set], random);
      return { samples: await speak(voice, text, folder), text };
    },
  };
}

/** A conversation of these speakers. */
export async function converse(
  speakers: readonly Speaker[],
  { name, overlap, random }: { name: string; overlap: number; random: Random },
): Promise<Conversation> {
  const spoken: { speaker: Speaker; samples: Float32Array; start: number; text: string | null }[] = [];
  let end = random.between(0.2, 1);
  let previous = -1;
  for (let turn = 0; turn < speakers.length * (turnsOfEach[speakers.length] ?? 5); turn++) {
    const next = nextSpeaker(previous, speakers.length, turn, random);
    const speaker = speakers[next]!;
    const { samples, text } = await speaker.say();
    const seconds = samples.length / sampleRate;
    const [isOverlapped, pause, early] = [random.next() < overlap, random.between(0.1, 0.8), random.between(0.4, 1.5)];
    const start = isOverlapped && previous !== next ? Math.max(0, end - Math.min(early, seconds / 2)) : end + pause;
    spoken.push({ speaker, samples, start, text });
    end = Math.max(end, start + seconds);
    previous = next;
  }
  return {
    name,
    speakers: speakers.length,
    turns: spoken.map(({ speaker, samples, start, text }) => ({
      speaker: speaker.name,
      start,
      end: start + samples.length / sampleRate,
      text,
    })),
    tracks: speakers.map((speaker) => {
      const track = new Float32Array(Math.ceil((end + 0.5) * sampleRate));
      for (const turn of spoken.filter((candidate) => candidate.speaker === speaker))
        for (
          let i = 0, at = Math.round(turn.start * sampleRate);
          i < turn.samples.length && at < track.length;
          i++, at++
        )
          track[at] = track[at]! + turn.samples[i]!;
      return track;
    }),
  };
}

/** Unintelligible background speech: `voices` voices at the same time. */
export async function createBabble(
  voices: number,
  seconds: number,
  seed: number,
  folder: string,
): Promise<Float32Array> {
  const random = createRandom(seed);
  const babble = new Float32Array(Math.ceil(seconds * sampleRate));
  for (let voice = 0; voice < voices; voice++) {
    const speaker: Voice = { base: bases[voice % bases.length]!, factor: random.pick([0.94, 1.06]) };
    for (let at = -random.below(2 * sampleRate); at < babble.length;) {
      const samples = await speak(speaker, utteranceOf(developmentPhrases, createRandom(random.below(40))), folder);
      for (let i = 0; i < samples.length; i++)
        if (at + i >= 0 && at + i < babble.length) babble[at + i] = babble[at + i]! + samples[i]!;
      at += samples.length;
    }
  }
  return babble;
}

/** Different voices of the package; their factors differ, too. */
function voicesOf(set: ConversationSet, count: number, random: Random): Voice[] {
  const left: (typeof bases)[number][] = [...bases];
  return Array.from({ length: count }, () => ({
    base: left.splice(random.below(left.length), 1)[0]!,
    factor: random.pick(factors[set]),
  }));
}

/** Everyone speaks in the first round; later, one speaker in eight continues after a pause. */
function nextSpeaker(previous: number, speakers: number, turn: number, random: Random): number {
  if (turn < speakers) return turn;
  if (speakers === 1 || random.below(8) === 0) return previous;
  return (previous + 1 + random.below(speakers - 1)) % speakers;
}

export function nameOf({ base, factor }: Voice): string {
  return factor === 1 ? base : `${base}-${factor}`;
}

async function speak(voice: Voice, text: string, folder: string): Promise<Float32Array> {
  const key = createHash('sha256')
    .update(`${nameOf(voice)}|${text}`)
    .digest('hex')
    .slice(0, 24);
  const [raw, spoken] = [join(folder, `${key}-raw.wav`), join(folder, `${key}.wav`)];
  const isThere = await access(spoken).then(
    () => true,
    () => false,
  );
  if (!isThere) {
    const { base } = voice;
    if (base.startsWith('espeak:')) await run('espeak-ng', ['-v', base.slice('espeak:'.length), '-w', raw, text]);
    else await run('flite', ['-voice', base, '-t', text, '-o', raw]);
    // The factor moves pitch and formants together, as a longer or shorter vocal tract does; the tempo stays.
    const shift = voice.factor === 1 ? [] : ['speed', String(voice.factor), 'tempo', '-s', String(1 / voice.factor)];
    await run('sox', ['-D', raw, '-r', '16000', '-c', '1', '-b', '16', spoken, ...shift, 'norm', '-6']);
  }
  return readSamples(spoken, 0, await wavSeconds(spoken));
}
