import { availableParallelism } from 'node:os';
import type { Evaluation } from './evaluation.ts';
import type { LabelledRecording } from './labelled-set.ts';
import { countDiarizationErrors, countErrors, wordErrorRate, type SpeakerTurn } from './scoring.ts';
import { mdEval, sclite } from './sctk.ts';

/** Speech within this time of a boundary of the reference is not counted, as usual for published rates. */
export const collarSeconds = 0.25;

/** What the engine made of one recording of the set. */
export type Recognition = {
  readonly id: string;
  readonly seconds: number;
  readonly engineSeconds: number;
  /** Of all processes of the engine; null: not measured. */
  readonly processorSeconds: number | null;
  readonly text: string;
  /** How the speakers were found; null: they were not. */
  readonly diarization: { readonly method: string; readonly turns: readonly SpeakerTurn[] } | null;
};
type Scored = {
  readonly set: string;
  readonly recordings: readonly LabelledRecording[];
  readonly recognitions: readonly Recognition[];
  readonly peakMemoryMib: number | null;
};

/** Scores the output of an engine on a labelled set. */
export async function score({ set, recordings, recognitions, peakMemoryMib }: Scored): Promise<Evaluation> {
  const pairs = recognitions.flatMap((recognition) => {
    const recording = recordings.find(({ id }) => id === recognition.id);
    return recording ? [{ recording, recognition }] : [];
  });
  const utterances = pairs.flatMap(({ recording, recognition }) =>
    recording.utterances ? countErrors(recording.utterances, recognition.text) : [],
  );
  const texts = pairs.flatMap(({ recording: { id, utterances: lines }, recognition }) =>
    lines ? [{ id, reference: lines.join(' '), recognised: recognition.text }] : [],
  );
  const turns = pairs.flatMap(({ recording, recognition: { id, diarization } }) =>
    recording.turns && diarization ? [{ id, reference: recording.turns, found: diarization.turns }] : [],
  );
  const seconds = sum(recognitions.map((recognition) => recognition.seconds));
  const [byWords, byTurns] = await Promise.all([
    texts.length > 0 ? sclite(texts) : undefined,
    turns.length > 0 ? mdEval(turns, collarSeconds) : undefined,
  ]);
  return {
    version: 1,
    set,
    at: new Date().toISOString(),
    recordings: pairs.length,
    audio_seconds: seconds,
    words: sum(utterances.map(({ words }) => words)),
    wer: utterances.length > 0 ? wordErrorRate(utterances) : null,
    der: diarizationRate(turns, pairs[0]?.recognition.diarization?.method ?? ''),
    speakers: turns.length > 0 ? { right: turns.filter(isNumberRight).length, of: turns.length } : null,
    real_time_factor: sum(recognitions.map(({ engineSeconds }) => engineSeconds)) / Math.max(0.01, seconds),
    processor_factor: recognitions.every(({ processorSeconds }) => processorSeconds !== null)
      ? sum(recognitions.map(({ processorSeconds }) => processorSeconds ?? 0)) / Math.max(0.01, seconds)
      : null,
    peak_memory_mib: peakMemoryMib,
    sctk: byWords === undefined && byTurns === undefined ? null : { wer: byWords ?? null, der: byTurns ?? null },
    cores: availableParallelism(),
  };
}

type Turns = { reference: readonly SpeakerTurn[]; found: readonly SpeakerTurn[] };

function diarizationRate(recordings: readonly Turns[], method: string): Evaluation['der'] {
  const counts = recordings.map(({ reference, found }) => countDiarizationErrors(reference, found, collarSeconds));
  const speech = sum(counts.map((count) => count.speech));
  if (speech === 0) return null;
  return { value: sum(counts.map(({ errors }) => errors)) / speech, collar_s: collarSeconds, method };
}

function isNumberRight({ reference, found }: Turns): boolean {
  const count = (turns: readonly SpeakerTurn[]): number => new Set(turns.map(({ speaker }) => speaker)).size;
  return count(reference) === count(found);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
