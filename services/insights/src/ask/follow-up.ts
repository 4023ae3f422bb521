import { contentWordsOf } from './content-words.ts';

const maxOwnWords = 3;
const maxLength = 2_000;
const refersBack =
  /\b(?:it|its|they|them|their|that|this|those|these|he|him|his|she|her|there|then|er|ihn|ihm|sie|ihr|ihre|es|das|dies|diese[rsnm]?|dazu|davon|darüber|dort|damals)\b/i;
const continues = /^(?:and|but|so|why|why not|what about|how about|und|aber|warum|wieso|weshalb|was ist mit)\b/i;

/** What search looks for: a follow-up ("and who said that?") is completed by the question before it. */
export function searchTextOf(question: string, previous: string | null): string {
  if (previous === null || contentWordsOf(question).size > maxOwnWords) return question;
  if (!refersBack.test(question) && !continues.test(question.trim())) return question;
  return `${previous} ${question}`.slice(-maxLength);
}
