import type { Word, WordsArtefact } from '@overtone/contracts';
import { meanConfidence } from '../transcripts/transcripts.ts';
import type { NewSegment } from './transcript-rows.ts';

const pauseSeconds = 0.8;
const longestSeconds = 20;
const mostWords = 60;

/** Words without speakers, cut where somebody draws breath: enough to read while the speakers are being told apart. */
export const provisionalSegments = ({ words }: Pick<WordsArtefact, 'words'>): NewSegment[] => {
  const groups: Word[][] = [];
  for (const word of words) {
    const open = groups.at(-1);
    const [first, last] = [open?.[0], open?.at(-1)];
    const goesOn =
      open && first && last && word.start - last.end < pauseSeconds && word.end - first.start < longestSeconds;
    if (goesOn && open.length < mostWords) open.push(word);
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
};
