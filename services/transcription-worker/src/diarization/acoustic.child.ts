import { z } from 'zod';
import { frameLevels, speechRegions } from '../audio/speech-regions.ts';
import { serveTasks } from '../children/serve-tasks.ts';
import { turnsFrom } from './acoustic.ts';
import { featuresOf } from './features.ts';

const request = z.object({
  wavPath: z.string(),
  seconds: z.number(),
  minSpeakers: z.int().nullable(),
  maxSpeakers: z.int().nullable(),
});

/** Samples between frames: long recordings have frames enough, and time and memory stay within bounds. */
function hopFor(seconds: number): number {
  return seconds <= 1800 ? 256 : seconds <= 4 * 3600 ? 512 : 1024;
}

serveTasks(async (input, { onProgress }) => {
  const { wavPath, seconds, minSpeakers, maxSpeakers } = request.parse(input);
  const levels = await frameLevels(wavPath, seconds);
  const regions = speechRegions(levels, { minGap: 0.25, pad: 0.05 });
  const tell = (share: number): void => onProgress(share * 0.95);
  const features = await featuresOf({ wavPath, regions, levels, hop: hopFor(seconds), onProgress: tell });
  return { turns: turnsFrom(features, regions, { min: minSpeakers, max: maxSpeakers }) };
});
