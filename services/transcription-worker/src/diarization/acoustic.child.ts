import { z } from 'zod';
import { frameLevels, levelRange, speechRegions } from '../audio/speech-regions.ts';
import { serveTasks } from '../children/serve-tasks.ts';
import { featuresOf } from './features.ts';
import { readNoisySpeech } from './noisy-features.ts';
import { turnsInNoise } from './noisy-speakers.ts';
import { turnsInQuiet } from './quiet-speakers.ts';
import { addOverlaps } from './overlaps.ts';

const request = z.object({
  wavPath: z.string(),
  seconds: z.number(),
  minSpeakers: z.int().nullable(),
  maxSpeakers: z.int().nullable(),
});

/** Analysed frames of 20 ms: in long recordings every second or fourth is enough, so that time and memory are limited. */
function stepFor(seconds: number): number {
  return seconds <= 1800 ? 1 : seconds <= 4 * 3600 ? 2 : 4;
}
/** Samples between frames of recordings without noise, for each step. */
const hopSamples = 256;

/**
 * Speech that is less than this above the quiet moments (decibels) is noisy. Measured: 30 to 88 in quiet and in rooms
 * without noise, 12 to 27 with noise.
 */
const clearRange = 28;

serveTasks(async (input, { onProgress }) => {
  const { wavPath, seconds, minSpeakers, maxSpeakers } = request.parse(input);
  const levels = await frameLevels(wavPath, seconds);
  const step = stepFor(seconds);
  const bounds = { min: minSpeakers, max: maxSpeakers };
  /** Reports the progress of a part that takes from `from` to `to` of the whole. */
  const report =
    (from: number, to: number) =>
    (share: number): void =>
      onProgress(from + share * (to - from));
  if (levelRange(levels) < clearRange) {
    const noisy = await readNoisySpeech({ wavPath, seconds, step, onProgress: report(0, 0.95) });
    return { turns: turnsInNoise(noisy.features, noisy.regions, bounds) };
  }
  const regions = speechRegions(levels, { minGap: 0.25, pad: 0.05 });
  const features = await featuresOf({
    wavPath,
    regions,
    levels,
    hop: hopSamples * step,
    onProgress: report(0, 0.6),
  });
  const turns = turnsInQuiet(features, regions, bounds);
  return { turns: await addOverlaps({ wavPath, seconds, levels, turns, step, onProgress: report(0.6, 0.95) }) };
});
