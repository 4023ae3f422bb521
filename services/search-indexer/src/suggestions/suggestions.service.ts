import { unfinishedOperator } from '@overtone/contracts/search-operators';
import type { AccessScope } from '../access/access.ts';
import { splitWords } from '../tokenize/tokenize.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.store.ts';
import { wordKey } from '../vocabulary/vocabulary.ts';
import type { Suggestion, SuggestionStore } from './suggestions.store.ts';

type SuggestionsDeps = {
  store: Pick<SuggestionStore, 'suggestNames'>;
  vocabulary: Pick<Vocabulary, 'startingWith'>;
};

/**
 * Suggests titles, speakers and tags, and completes the last word of the text with words that were said. An operator at the
 * end of the text is completed with names of its kind.
 */
export function createSuggestions({ store, vocabulary }: SuggestionsDeps) {
  const completeLastWord = async (text: string, scope: AccessScope, limit: number): Promise<Suggestion[]> => {
    const last = splitWords(text).at(-1);
    if (!last || last.end !== text.length || last.text.length < 2) return [];
    const found = await vocabulary.startingWith(wordKey(last.text), scope, limit);
    const before = text.slice(0, last.at);
    return found.map(({ word, files }) => ({ type: 'content', text: before + word, fileId: null, count: files }));
  };

  return async (text: string, scope: AccessScope, limit: number): Promise<Suggestion[]> => {
    const unfinished = unfinishedOperator(text);
    if (unfinished) {
      const { operator, typed } = unfinished;
      return operator === 'speaker' || operator === 'tag'
        ? store.suggestNames(typed, { scope, limit, kind: operator })
        : [];
    }
    const [names, words] = await Promise.all([
      store.suggestNames(text, { scope, limit }),
      completeLastWord(text, scope, limit),
    ]);
    // Half of the places at most for names, unless there are too few words.
    const shownNames = names.slice(0, Math.max(Math.ceil(limit / 2), limit - words.length));
    return [...shownNames, ...words].slice(0, limit);
  };
}
