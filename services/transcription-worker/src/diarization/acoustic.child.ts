import { z } from 'zod';
import { frameLevels } from '../audio/speech-regions.ts';
import { serveTasks } from '../children/serve-tasks.ts';
import { addOverlaps } from './overlaps.ts';
import { turnsOfSpeakers } from './speakers.ts';
import { readSpeech } from './speech-features.ts';

const request = z.object({
  wavPath: z.string(),
  seconds: z.number(),
  minSpeakers: z.int().nullable(),
  maxSpeakers: z.int().nullable(),
});

/** In long recordings every second frame of 20 ms is enough, so that time and memory are limited. */
function stepFor(seconds: number): number {
  return seconds <= 1800 ? 1 : 2;
}

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
  const speech = await readSpeech({ wavPath, seconds, levels, step, onProgress: report(0, 0.6) });
  const turns = turnsOfSpeakers(speech, bounds);
  if (!speech.isClear) return { turns };
  return { turns: await addOverlaps({ wavPath, seconds, levels, turns, step, onProgress: report(0.6, 0.95) }) };
});
