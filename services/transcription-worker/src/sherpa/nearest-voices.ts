import type { Turn } from '@overtone/contracts';
import type { TimeSpan } from '../audio/speech-regions.ts';
import { cosine } from './link-speakers.ts';

/** The embedding of a shorter piece says little. */
const shortestPiece = 0.5;
/** Difference of similarities from which a voice is clearly nearer. */
const clearlyNearer = 0.05;

type Voices = {
  /** Where there is speech, in order of time. */
  speech: readonly TimeSpan[];
  /** The mean voice of each speaker. */
  voices: ReadonlyMap<number, Float32Array>;
  /** The embedding of a part of the recording. */
  vectorOf: (part: TimeSpan) => Promise<Float32Array>;
  /** Number of speakers that must remain. */
  least: number;
};

/**
 * Segmentation notices a change of speaker late when the first sentence after it is short. Each piece of a turn between two
 * pauses goes to the speaker whose voice is clearly nearer; a piece that overlaps with another speaker stays. All stay when
 * too few speakers would remain.
 * @param turns in order of their starts
 */
export async function toNearestVoices(
  turns: readonly Turn[],
  { speech, voices, vectorOf, least }: Voices,
): Promise<Turn[]> {
  if (voices.size < 2) return [...turns];
  const nearestTo = async (piece: Turn): Promise<number> => {
    const vector = await vectorOf(piece);
    let [nearest, most] = [piece.speaker, cosine(vector, voices.get(piece.speaker) ?? none) + clearlyNearer];
    for (const [speaker, voice] of voices) {
      const likeness = cosine(vector, voice);
      if (speaker !== piece.speaker && likeness > most) [nearest, most] = [speaker, likeness];
    }
    return nearest;
  };
  const cuts = middlesOfPauses(speech);
  const result: Turn[] = [];
  let open: Turn[] = [];
  let [nextTurn, nextCut] = [0, 0];
  for (const turn of turns) {
    for (let other = turns[nextTurn]; other && other.start < turn.end; other = turns[++nextTurn]) open.push(other);
    open = open.filter(({ end }) => end > turn.start);
    while ((cuts[nextCut] ?? Infinity) <= turn.start) nextCut += 1;
    for (const piece of piecesOf(turn, cuts, nextCut)) {
      const isAlone = open.every((other) => other.speaker === turn.speaker || !overlap(other, piece));
      const isJudged = isAlone && piece.end - piece.start >= shortestPiece;
      result.push(isJudged ? { ...piece, speaker: await nearestTo(piece) } : piece);
    }
  }
  return new Set(result.map(({ speaker }) => speaker)).size < least ? [...turns] : result;
}

const none = new Float32Array();

function middlesOfPauses(speech: readonly TimeSpan[]): number[] {
  return speech.slice(1).map(({ start }, i) => ((speech[i]?.end ?? start) + start) / 2);
}

/** @param first the first cut after the beginning of the turn */
function piecesOf(turn: Turn, cuts: readonly number[], first: number): Turn[] {
  const pieces: Turn[] = [];
  let { start } = turn;
  for (let next = first, end = cuts[next]; end !== undefined && end < turn.end; end = cuts[++next]) {
    pieces.push({ ...turn, start, end });
    start = end;
  }
  return [...pieces, { ...turn, start }];
}

function overlap(one: TimeSpan, other: TimeSpan): boolean {
  return one.start < other.end && one.end > other.start;
}
