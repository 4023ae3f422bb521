import type { MediaFile } from '../ports/media-files.adapter.ts';
import type { Passage } from './citations.ts';

/** A segment of a transcript as readers may read it, times in seconds. */
export type Segment = { start: number; end: number; text: string; speaker: string | null };
/** A part of a recording that search found. */
export type Found = { start: number; end: number; score: number };
export type EvidenceFile = MediaFile;
type Ranked = Passage & { score: number };

/** A turn of fewer words is joined with the next segment of the same speaker, so that sentences are not cut. */
const minWords = 30;
const maxWords = 80;

/** The turns of a recording inside the parts that search found, each once, with the score of its best part. */
export function passagesOf(
  file: Pick<EvidenceFile, 'fileId' | 'title'>,
  segments: readonly Segment[],
  found: readonly Found[],
): Ranked[] {
  const passages: Ranked[] = [];
  let open: { segments: Segment[]; score: number } | null = null;
  const close = (): void => {
    if (open) passages.push(toPassage(file, open.segments, open.score));
    open = null;
  };
  for (const segment of segments) {
    const score = scoreOf(segment, found);
    const first: Segment | undefined = open?.segments[0];
    if (score === null || (first && first.speaker !== segment.speaker)) close();
    if (score === null) continue;
    if (open && wordCount(open.segments) >= (score === open.score ? maxWords : minWords)) close();
    open = open
      ? { segments: [...open.segments, segment], score: Math.max(open.score, score) }
      : { segments: [segment], score };
  }
  close();
  return passages;
}

/** Those of all recordings in the order of their rank. */
export function rank(passages: readonly Ranked[]): Passage[] {
  return passages.toSorted((x, y) => y.score - x.score).map(({ score: _, ...passage }) => passage);
}

/** The score of the best part that contains the middle of a segment. */
function scoreOf({ start, end, text }: Segment, found: readonly Found[]): number | null {
  const middle = (start + end) / 2;
  const scores = found.filter((part) => part.start <= middle && middle <= part.end).map(({ score }) => score);
  return scores.length === 0 || text.trim() === '' ? null : Math.max(...scores);
}

function wordCount(segments: readonly Segment[]): number {
  return segments.reduce((sum, { text }) => sum + text.split(/\s+/).length, 0);
}

function toPassage(
  { fileId, title }: Pick<EvidenceFile, 'fileId' | 'title'>,
  segments: readonly Segment[],
  score: number,
): Ranked {
  const [first, last] = [segments[0] as Segment, segments.at(-1) as Segment];
  const text = segments.map((segment) => segment.text.trim()).join(' ');
  const parts = segments.map(({ start, end, text: said }) => ({ start, end, text: said }));
  return { fileId, title, start: first.start, end: last.end, speaker: first.speaker, text, parts, score };
}
