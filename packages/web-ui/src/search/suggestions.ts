import type { ResponseBody } from '@overtone/client';
import { quote, unfinishedOperator } from '@overtone/contracts/search-operators';

/** What is offered while a search is typed. */
export type Suggestion =
  | ResponseBody<'GET /api/search/suggestions'>[number]
  | { readonly type: 'collection'; readonly text: string; readonly file_uuid: null; readonly count: number };

/** The beginning of a collection’s name that is typed after `in:`; null: something else is typed. */
export function typedCollection(text: string): string | null {
  const unfinished = unfinishedOperator(text);
  return unfinished?.operator === 'in' ? unfinished.typed : null;
}

/** The search text after the suggestion was chosen: an unfinished operator at its end is replaced. */
export function withSuggestion(text: string, { type, text: name }: Suggestion): string {
  if (type === 'content' || type === 'title') return name;
  const { at = 0, minus = '' } = unfinishedOperator(text) ?? {};
  const operator = type === 'collection' ? 'in' : type;
  return `${text.slice(0, at)}${minus}${operator}:${quote(name.trim())} `;
}
