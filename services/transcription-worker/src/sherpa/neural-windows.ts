import type { Turn } from '@overtone/contracts';
import { frameLevels, speechRegions, type TimeSpan } from '../audio/speech-regions.ts';
import { readSamples, sampleRate } from '../audio/wav.ts';
import { mergeTurns } from '../diarization/diarization.ts';
import type { DiarizationConfig } from './config.ts';
import type { Extractor, loadSherpa } from './native.ts';
import { linkSpeakers, voicesOf, type LocalSpeaker } from './link-speakers.ts';
import { toNearestVoices } from './nearest-voices.ts';
import { speakerVector } from './speaker-vector.ts';

/** The memory of sherpa-onnx' clustering grows with the square of the length: longer recordings are split into windows. */
const windowSeconds = 1200;
/** Measured on readers and synthetic voices in quiet rooms. */
const sameVoice = { threshold: 0.6, shortThreshold: 0.4, shortSeconds: 3 };
/** A voice of fewer seconds in a window has no embedding: its words go to the speaker of the nearest turn. */
const shortestVoice = 0.5;
const shortestClean = 1.5;

export type WindowTask = {
  config: DiarizationConfig;
  wavPath: string;
  seconds: number;
  /** Bounds of the number of speakers of the recording. */
  speakers: { least: number; most: number | null };
};

/** Speaker turns by neural models, window by window; speakers with the same voice are joined, in a window and across windows. */
export async function diarizeWindows(
  sherpa: ReturnType<typeof loadSherpa>,
  { config, wavPath, seconds, speakers: { least, most } }: WindowTask,
  onProgress: (share: number) => void,
): Promise<{ turns: Turn[] }> {
  const diarization = new sherpa.OfflineSpeakerDiarization(config);
  const extractor = new sherpa.SpeakerEmbeddingExtractor(config.embedding);
  const length = seconds <= windowSeconds * 1.5 ? seconds : windowSeconds;
  const locals: LocalSpeaker[] = [];
  const found: { window: number; turn: Turn }[] = [];
  for (let window = 0; window * length < seconds; window++) {
    const from = window * length;
    const samples = await readSamples(wavPath, from, Math.min(seconds, from + length));
    const turns = withoutFragments(diarization.process(samples));
    locals.push(...localSpeakers(extractor, turns, samples, window));
    for (const turn of turns) found.push({ window, turn: { ...turn, start: turn.start + from, end: turn.end + from } });
    onProgress(Math.min(1, (from + length) / seconds));
  }
  const labels = linkSpeakers(locals, { ...sameVoice, least, most: most ?? Infinity });
  const labelOf = new Map(locals.map((local, i) => [`${local.window}:${local.speaker}`, labels[i] ?? 0]));
  const linked = found.map(({ window, turn }) => ({
    ...turn,
    speaker: labelOf.get(`${window}:${turn.speaker}`) ?? 0,
  }));
  const speech = speechRegions(await frameLevels(wavPath, seconds), { pad: 0 });
  const vectorOf = async ({ start, end }: TimeSpan): Promise<Float32Array> =>
    speakerVector(extractor, [await readSamples(wavPath, start, end)]);
  const voices = voicesOf(locals, labels);
  return { turns: mergeTurns(await toNearestVoices(mergeTurns(linked), { speech, voices, vectorOf, least })) };
}

/** The voice of each speaker of a window, from the longest turns. */
function localSpeakers(
  extractor: Extractor,
  turns: readonly Turn[],
  samples: Float32Array,
  window: number,
): LocalSpeaker[] {
  return [...Map.groupBy(turns, ({ speaker }) => speaker)].map(([speaker, own]) => {
    const longestFirst = own.toSorted((x, y) => lengthOf(y) - lengthOf(x));
    const clean = longestFirst.filter((turn, i) => i === 0 || lengthOf(turn) >= shortestClean);
    const parts = clean.map(({ start, end }) =>
      samples.subarray(Math.floor(start * sampleRate), Math.ceil(end * sampleRate)),
    );
    const vector = speakerVector(extractor, parts);
    return { window, speaker, vector, seconds: own.reduce((sum, turn) => sum + lengthOf(turn), 0) };
  });
}

/** The turns of speakers with enough speech for an embedding; all turns when no speaker has. */
function withoutFragments(turns: readonly Turn[]): readonly Turn[] {
  const seconds = new Map<number, number>();
  for (const turn of turns) seconds.set(turn.speaker, (seconds.get(turn.speaker) ?? 0) + lengthOf(turn));
  const long = turns.filter(({ speaker }) => (seconds.get(speaker) ?? 0) >= shortestVoice);
  return long.length === 0 ? turns : long;
}

function lengthOf({ start, end }: Turn): number {
  return end - start;
}
