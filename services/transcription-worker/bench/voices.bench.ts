import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Turn } from '@overtone/contracts';
import { voiceVersions } from '@overtone/contracts';
import { readSamples, wavSeconds } from '../src/audio/wav.ts';
import { createAcousticDiarizer } from '../src/diarization/acoustic.adapter.ts';
import { childEnvironment } from '../src/env.ts';
import { createFfmpeg } from '../src/ports/ffmpeg.adapter.ts';
import { loadSherpa } from '../src/sherpa/native.ts';
import { speakerVector } from '../src/sherpa/speaker-vector.ts';
import { embedVoice } from '../src/voices/voice-embedding.ts';
import { createVoiceFrames } from '../src/voices/voice-frames.ts';
import { converse, nameOf, speakerOf, type Conversation, type Voice } from './conversations.ts';
import { createRandom } from './random.ts';
import { readAloud, readers } from './readers.ts';
import { conditions, degrade } from './rooms.ts';

/** A speaker that the diarizer found: the voice that speaks most of its time, and its embeddings by model. */
export type FoundSpeaker = { voice: string; vectors: Record<string, Float32Array> };
export type RecordedVoices = {
  name: string;
  /** The voices that are named; others are strangers. */
  named: readonly string[];
  recordings: FoundSpeaker[][];
  /** Whether the goal applies. */
  isJudged: boolean;
};
/** Ten recordings of a person. */
export type RecordedReader = { name: string; recordings: FoundSpeaker[][] };
type Options = { size: number; neuralModel: string | null };
type Cast = { name: string; named: readonly Voice[]; stranger: Voice };

function voice(base: Voice['base'], factor = 1): Voice {
  return { base, factor };
}
const casts: readonly Cast[] = [
  { name: 'flite', named: [voice('slt'), voice('rms'), voice('awb')], stranger: voice('kal16') },
  { name: 'flite, three men', named: [voice('rms'), voice('awb'), voice('kal16')], stranger: voice('rms', 0.9) },
  {
    name: 'flite, changed',
    named: [voice('slt', 0.92), voice('rms', 1.1), voice('awb', 0.91)],
    stranger: voice('slt', 1.08),
  },
  // Not among the voices of the calibration. With en-gb, espeak-ng ignores the name after the plus sign.
  {
    name: 'espeak-ng',
    named: [voice('espeak:en-us+Annie'), voice('espeak:en-us+edward'), voice('espeak:en-us+Andy')],
    stranger: voice('espeak:en-us+belinda'),
  },
];
const quiet = conditions[0]!;
/** Every recording is made in another room or over another line. */
const rooms = ['clean', 'room 0.4 s', 'white 10 dB', 'overlap 20 %', 'room 0.8 s'].map(
  (name) => conditions.find((condition) => condition.name === name) ?? quiet,
);
const recordingCount = 10;

/**
 * Three voices and now and then a stranger in ten recordings each, whose speakers the diarizer finds that needs no model.
 * @param neuralModel path of a model of speaker embeddings for sherpa-onnx; null: none is installed.
 */
export async function* recordVoices(folder: string, { size, neuralModel }: Options): AsyncGenerator<RecordedVoices> {
  const findSpeakers = createSpeakerFinder(neuralModel);
  const speech = join(folder, 'speech');
  await mkdir(speech, { recursive: true });
  const wavPath = join(folder, 'voices.wav');
  const count = countOf(size);
  for (const { name, named, stranger } of casts)
    for (const place of ['in quiet', 'in different rooms'] as const) {
      const recordings: FoundSpeaker[][] = [];
      for (let i = 0; i < count; i++) {
        const condition = place === 'in quiet' ? quiet : rooms[i % rooms.length]!;
        const voices = i % 3 === 2 ? [...named, stranger] : named;
        const random = createRandom(9_000 + i * 31);
        const speakers = voices.map((speaking) => speakerOf(speaking, { set: 'held out', folder: speech, random }));
        const conversation = await converse(speakers, { name: `${name} ${i + 1}`, overlap: condition.overlap, random });
        await writeFile(wavPath, degrade(conversation, condition, i, null));
        recordings.push(await findSpeakers(wavPath, (turns) => mostSpoken(conversation, turns)));
      }
      yield { name: `${name}, ${place}`, named: named.map(nameOf), recordings, isJudged: place === 'in quiet' };
    }
}

/** Ten recordings of each reader, decoded as an upload is. */
export async function recordReaders(folder: string, { size, neuralModel }: Options): Promise<RecordedReader[]> {
  const findSpeakers = createSpeakerFinder(neuralModel);
  const transcoder = createFfmpeg({ env: childEnvironment(), maxSeconds: 600 });
  const recorded: RecordedReader[] = [];
  const target = join(folder, 'reader.wav');
  for (const reader of readers) {
    const recordings: FoundSpeaker[][] = [];
    for await (const source of readAloud(reader, countOf(size), folder)) {
      await transcoder.transcode({ source, target, probe: await transcoder.probe(source) });
      recordings.push(await findSpeakers(target, () => reader.name));
      await rm(source);
    }
    recorded.push({ name: reader.name, recordings });
  }
  return recorded;
}

function countOf(size: number): number {
  return Math.max(2, Math.round(recordingCount * size));
}

/** @returns the speakers that the diarizer finds in a recording; `voiceOf` says whose turns they are. */
function createSpeakerFinder(neuralModel: string | null) {
  const diarizer = createAcousticDiarizer({ env: childEnvironment() });
  const embedNeural = neuralModel === null ? null : createNeural(neuralModel);
  return async (wavPath: string, voiceOf: (turns: readonly Turn[]) => string): Promise<FoundSpeaker[]> => {
    const seconds = await wavSeconds(wavPath);
    const { turns } = await diarizer.diarize({ wavPath, seconds, minSpeakers: null, maxSpeakers: null });
    const found: FoundSpeaker[] = [];
    for (const [, own] of Map.groupBy(turns, ({ speaker }) => speaker)) {
      const parts: Float32Array[] = [];
      for (const { start, end } of own) parts.push(await readSamples(wavPath, start, end));
      const vectors = embed(parts, embedNeural);
      if (vectors) found.push({ voice: voiceOf(own), vectors });
    }
    return found;
  };
}

type EmbedNeural = (parts: readonly Float32Array[]) => Float32Array;

function embed(parts: readonly Float32Array[], embedNeural: EmbedNeural | null): Record<string, Float32Array> | null {
  const frames = createVoiceFrames();
  for (const part of parts) frames.add(part);
  const vectors = embedVoice(
    frames,
    voiceVersions.map(({ name }) => name),
  );
  return vectors && { ...vectors, ...(embedNeural ? { v5: embedNeural(parts) } : {}) };
}

/** The voice that speaks during most of the turns. */
function mostSpoken({ turns }: Conversation, found: readonly Turn[]): string {
  const seconds = new Map<string, number>();
  for (const { speaker, start, end } of turns)
    for (const turn of found) {
      const shared = Math.min(end, turn.end) - Math.max(start, turn.start);
      if (shared > 0) seconds.set(speaker, (seconds.get(speaker) ?? 0) + shared);
    }
  return [...seconds].toSorted(([, one], [, other]) => other - one)[0]?.[0] ?? 'none';
}

/** The embedding of a speaker by a model of sherpa-onnx, of length 1. */
function createNeural(model: string): EmbedNeural {
  const extractor = new (loadSherpa().SpeakerEmbeddingExtractor)({ model, numThreads: 1, provider: 'cpu' });
  return (parts) => {
    const vector = speakerVector(extractor, parts);
    const length = Math.hypot(...vector) || 1;
    return vector.map((value) => value / length);
  };
}
