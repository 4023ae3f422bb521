import type { Word, WordsArtefact } from '@overtone/contracts';
import { meanConfidence } from '../transcripts/transcripts.ts';
import type { NewSegment } from './transcript-rows.ts';

const pauseSeconds = 0.8;
const maxSeconds = 20;
const maxWords = 60;

/** Splits words without speakers at pauses: a readable transcript until diarization has finished. */
export function provisionalSegments({ words }: Pick<WordsArtefact, 'words'>): NewSegment[] {
  const groups: Word[][] = [];
  for (const word of words) {
    const open = groups.at(-1);
    const [first, last] = [open?.[0], open?.at(-1)];
    const continues =
      open && first && last && word.start - last.end < pauseSeconds && word.end - first.start < maxSeconds;
    if (continues && open.length < maxWords) open.push(word);
    else groups.push([word]);
  }
  return groups.map((group) => ({
    start: group[0]?.start ?? 0,
    end: group.at(-1)?.end ?? 0,
    speaker: null,
    text: group.map(({ word }) => word).join(' '),
    confidence: meanConfidence(group),
    words: group,
  }));
}
