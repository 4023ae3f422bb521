import { answerFrom } from '../extractive/answer.ts';
import { declinedOutcome, type Outcome } from './ask.ts';
import { citationList } from './citations.ts';
import { contentWordsOf } from './content-words.ts';
import type { FoundEvidence } from './evidence.service.ts';

/** Sentences of the recordings, when no language model is configured or wanted. */
export function extract(
  question: string,
  { passages, language, isPartial }: Pick<FoundEvidence, 'passages' | 'language' | 'isPartial'>,
): Outcome {
  const declined = { ...declinedOutcome, madeBy: 'extractive' as const, searchPartial: isPartial };
  const ranked = passages.map(({ text }, index) => ({ id: String(index), text, score: 1 / (1 + index) }));
  const answer = answerFrom(question, ranked, language);
  if (answer.kind === 'declined' || answer.sentences.length === 0) return declined;
  const list = citationList();
  const sentences = answer.sentences.flatMap(({ text, passageId }) => {
    const passage = passages[Number(passageId)];
    return passage ? [{ text, citations: [list.numberOf(passage, contentWordsOf(text))], supported: true }] : [];
  });
  return { ...declined, status: 'answered', sentences, citations: list.citations };
}
