import type { Turn } from '@overtone/contracts';
import { readSamples, sampleRate } from '../audio/wav.ts';
import type { DiarizationConfig } from './config.ts';
import type { Extractor, loadSherpa } from './native.ts';
import { linkSpeakers, type LocalSpeaker } from './link-speakers.ts';

/** The memory of sherpa-onnx' clustering grows with the square of the length: longer recordings are split into windows. */
const windowSeconds = 1200;
/** Similarity from which voices of two windows are the same person. */
const sameVoice = 0.5;
const shortestClean = 1.5;
const mostSeconds = 30;

export type WindowTask = { config: DiarizationConfig; wavPath: string; seconds: number };

/** Speaker turns by neural models, window by window, with speakers linked across windows. */
export async function diarizeWindows(
  sherpa: ReturnType<typeof loadSherpa>,
  task: WindowTask,
  onProgress: (share: number) => void,
): Promise<{ turns: Turn[] }> {
  const diarization = new sherpa.OfflineSpeakerDiarization(task.config);
  if (task.seconds <= windowSeconds * 1.5) {
    return { turns: diarization.process(await readSamples(task.wavPath, 0, task.seconds)) };
  }
  const extractor = new sherpa.SpeakerEmbeddingExtractor(task.config.embedding);
  const locals: LocalSpeaker[] = [];
  const found: { window: number; turn: Turn }[] = [];
  for (let window = 0; window * windowSeconds < task.seconds; window++) {
    const from = window * windowSeconds;
    const samples = await readSamples(task.wavPath, from, Math.min(task.seconds, from + windowSeconds));
    const turns = diarization.process(samples);
    locals.push(...localSpeakers(extractor, turns, samples, window));
    for (const turn of turns) found.push({ window, turn: { ...turn, start: turn.start + from, end: turn.end + from } });
    onProgress(Math.min(1, (from + windowSeconds) / task.seconds));
  }
  const labels = linkSpeakers(locals, sameVoice);
  const labelOf = new Map(locals.map((local, i) => [`${local.window}:${local.speaker}`, labels[i] ?? 0]));
  return {
    turns: found.map(({ window, turn }) => ({ ...turn, speaker: labelOf.get(`${window}:${turn.speaker}`) ?? 0 })),
  };
}

/** The voice of each speaker of a window, from the longest turns. */
function localSpeakers(
  extractor: Extractor,
  turns: readonly Turn[],
  samples: Float32Array,
  window: number,
): LocalSpeaker[] {
  return [...new Set(turns.map((turn) => turn.speaker))].map((speaker) => {
    const own = turns.filter((turn) => turn.speaker === speaker).sort((x, y) => y.end - y.start - (x.end - x.start));
    const clean = own.filter((turn, i) => i === 0 || turn.end - turn.start >= shortestClean);
    let vector = new Float32Array(0);
    let seconds = 0;
    for (const { start, end } of clean) {
      if (seconds >= mostSeconds) break;
      const part = embed(extractor, samples.subarray(Math.floor(start * sampleRate), Math.ceil(end * sampleRate)));
      if (vector.length === 0) vector = new Float32Array(part.length);
      // Some models return NaN for very short or silent parts.
      if (part.every((x) => Number.isFinite(x)))
        for (let i = 0; i < part.length; i++) vector[i] = (vector[i] ?? 0) + (part[i] ?? 0);
      seconds += end - start;
    }
    return { window, speaker, vector, seconds };
  });
}

function embed(extractor: Extractor, samples: Float32Array): Float32Array {
  const stream = extractor.createStream();
  stream.acceptWaveform({ samples, sampleRate });
  stream.inputFinished();
  return extractor.compute(stream, false);
}
