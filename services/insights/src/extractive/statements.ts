import { actionItemIn, type ActionContext, type ActionItem } from './action-items.ts';
import type { Cues } from './cues.ts';
import type { Sentence } from './sentences.ts';

const minWords = 4;
const maxWords = 60;
/** How far after a question the answer "I do not know" may stand. */
const answerWithin = 3;
const maxActionItems = 30;
const minStrength = 2;

/** Sentences that say what was decided. */
export function findDecisions(sentences: readonly Sentence[], cues: Cues): Sentence[] {
  return sentences.filter((sentence) => hasLength(sentence) && isDecision(sentence.text, cues));
}

/** The same for summaries and for answers, which would contradict each other otherwise. */
export function isDecision(text: string, cues: Cues | undefined): boolean {
  const said = text.replaceAll('’', "'");
  return cues !== undefined && cues.decision.test(said) && !cues.notDecision.test(said);
}

/** Action items in the order of the recording; when there are too many, the weakest are left out. */
export function findActionItems(sentences: readonly Sentence[], context: ActionContext): ActionItem[] {
  const found = sentences.flatMap((sentence, at) => {
    const item = actionItemIn(sentence, context);
    return item && item.strength >= minStrength ? [{ at, item }] : [];
  });
  return found
    .toSorted((x, y) => y.item.strength - x.item.strength || x.at - y.at)
    .slice(0, maxActionItems)
    .toSorted((x, y) => x.at - y.at)
    .map(({ item }) => item);
}

/** Sentences that leave something open, and questions whose answer is that it is not known. */
export function findFollowUps(sentences: readonly Sentence[], { open, notOpen, unknown }: Cues): Sentence[] {
  return sentences.filter((sentence, at) => {
    const text = plain(sentence);
    if (!hasLength(sentence) || notOpen.test(text)) return false;
    if (open.test(text)) return sentence.terms.length >= 2;
    if (!text.endsWith('?') || sentence.terms.length < 3) return false;
    const answers = sentences.slice(at + 1, at + 1 + answerWithin);
    return answers.some((answer) => answer.speakerUuid !== sentence.speakerUuid && unknown.test(plain(answer)));
  });
}

function hasLength({ wordCount }: Sentence): boolean {
  return wordCount >= minWords && wordCount <= maxWords;
}

function plain({ text }: Sentence): string {
  return text.replaceAll('’', "'");
}
