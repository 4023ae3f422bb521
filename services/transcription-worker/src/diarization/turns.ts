import type { Turn } from '@overtone/contracts';
import type { TimeSpan } from '../audio/speech-regions.ts';

/** Penalty of a speaker change (log-likelihood). */
const penalty = { afterPause: 2, withoutPause: 12 };
/** Adjacent frames are correlated: their evidence is scaled down. */
const evidence = 0.25;

/**
 * The most likely speaker of every block (Viterbi over `scores[block][speaker]`), assuming rare changes.
 * `afterPause[block]`: the block starts a speech region.
 */
export function likeliestSpeakers(scores: readonly Float64Array[], afterPause: readonly boolean[]): number[] {
  const speakers = scores[0]?.length ?? 0;
  let best = new Float64Array(speakers);
  const cameFrom = scores.map((row, block) => {
    const change = afterPause[block] ? penalty.afterPause : penalty.withoutPause;
    let leader = 0;
    for (let speaker = 1; speaker < speakers; speaker++)
      if ((best[speaker] ?? 0) > (best[leader] ?? 0)) leader = speaker;
    const next = new Float64Array(speakers);
    const back = new Uint8Array(speakers);
    for (let speaker = 0; speaker < speakers; speaker++) {
      const stays = (best[speaker] ?? 0) >= (best[leader] ?? 0) - change;
      back[speaker] = stays ? speaker : leader;
      next[speaker] = (stays ? (best[speaker] ?? 0) : (best[leader] ?? 0) - change) + evidence * (row[speaker] ?? 0);
    }
    best = next;
    return back;
  });
  let speaker = best.indexOf(Math.max(...best));
  const path = scores.map(() => 0);
  for (let block = scores.length - 1; block >= 0; block--) {
    path[block] = speaker;
    speaker = cameFrom[block]?.[speaker] ?? speaker;
  }
  return path;
}

/** Joins adjacent blocks of one speaker into turns; a pause of one second ends a turn. */
export function toTurns(blocks: readonly TimeSpan[], labels: readonly number[]): Turn[] {
  const turns: Turn[] = [];
  for (const [i, { start, end }] of blocks.entries()) {
    const speaker = labels[i] ?? 0;
    const last = turns.at(-1);
    if (last && last.speaker === speaker && start - last.end < 1) last.end = end;
    else turns.push({ start, end, speaker });
  }
  return turns;
}

/** Joins the turns of each speaker that overlap or touch. @returns turns in order of their starts. */
export function mergeTurns(turns: readonly Turn[]): Turn[] {
  const merged: Turn[] = [];
  const lastOf = new Map<number, Turn>();
  for (const turn of turns.toSorted((x, y) => x.start - y.start)) {
    const last = lastOf.get(turn.speaker);
    if (last && turn.start <= last.end) {
      last.end = Math.max(last.end, turn.end);
      continue;
    }
    const added = { ...turn };
    lastOf.set(turn.speaker, added);
    merged.push(added);
  }
  return merged;
}
