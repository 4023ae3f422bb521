import type { Turn } from '@overtone/contracts';
import { blocksOf } from './blocks.ts';
import { clusterPieces, type Bounds } from './clustering.ts';
import { partsOf, rowsOf, sampled } from './parts.ts';
import type { Speech } from './speech-features.ts';
import { voiceOf } from './voice.ts';

/** Long enough that the voice matters more than the sounds, short enough to contain one speaker. */
const pieceSeconds = 5;
/** Pieces with less loud speech characterise the sounds and not the voice. */
const fewestSeconds = 1;
/** A speaker with less loud speech is a cough or a laugh of another one. */
const leastSpeech = { seconds: 3, share: 0.04 };

/** Who speaks when. */
export function turnsOfSpeakers({ features, regions, isClear }: Speech, bounds: Bounds): Turn[] {
  const { table, times, count, perSecond } = features;
  const pieces = rowsOf(partsOf(regions, pieceSeconds), times, count)
    .filter(([from, to]) => to - from >= fewestSeconds * perSecond)
    .map(([from, to]) => voiceOf(table, from, to));
  const blocks = blocksOf(features, regions);
  if (pieces.length === 0) return blocks.toTurns(blocks.assign([]));
  const usable = sampled(pieces);
  const frames = usable.reduce((sum, piece) => sum + piece.frames, 0);
  const least = Math.max(leastSpeech.seconds * perSecond, leastSpeech.share * frames);
  return blocks.toTurns(blocks.assign(clusterPieces(usable, { bounds, least, isClear })));
}
