import { frameLevels, packRegions, speechRegions, type TimeSpan } from '../audio/speech-regions.ts';
import { readSamples, sampleRate } from '../audio/wav.ts';
import type { Detector } from './native.ts';

const windowSamples = 512;

/** Speech segments from voice activity detection; reads ten seconds at a time. */
export async function detectSpeech(detector: Detector, wavPath: string, seconds: number): Promise<TimeSpan[]> {
  const found: TimeSpan[] = [];
  const drain = (): void => {
    while (!detector.isEmpty()) {
      const { start, samples } = detector.front(false);
      found.push({ start: start / sampleRate, end: (start + samples.length) / sampleRate });
      detector.pop();
    }
  };
  // Whole windows only, so that none is lost between two reads.
  const step = (windowSamples * 320) / sampleRate;
  for (let at = 0; at < seconds; at += step) {
    const samples = await readSamples(wavPath, at, Math.min(seconds, at + step));
    for (let i = 0; i + windowSamples <= samples.length; i += windowSamples) {
      detector.acceptWaveform(samples.subarray(i, i + windowSamples));
      drain();
    }
  }
  detector.flush();
  drain();
  return found;
}

const pad = 0.15;

export type ChunkTask = {
  wavPath: string;
  seconds: number;
  longest: number;
  gaps: { minSilence: number; minSpeech: number };
};

/** Pieces with speech of at most `longest` seconds: by the model when there is one, by loudness otherwise. */
export async function speechChunks(
  detector: Detector | undefined,
  { wavPath, seconds, longest, gaps }: ChunkTask,
): Promise<TimeSpan[]> {
  const levels = await frameLevels(wavPath, seconds);
  if (!detector)
    return packRegions(
      speechRegions(levels, { minGap: gaps.minSilence, minSpeech: gaps.minSpeech, pad: 0.2 }),
      levels,
      longest,
    );
  const speech = await detectSpeech(detector, wavPath, seconds);
  const padded = speech.map(({ start, end }, i) => ({
    start: Math.max(speech[i - 1]?.end ?? 0, start - pad),
    end: Math.min(speech[i + 1]?.start ?? seconds, end + pad),
  }));
  return packRegions(padded, levels, longest);
}
