import type { ResponseBody } from '../api/routes.ts';

/** What is offered while a search is typed. */
export type Suggestion =
  | ResponseBody<'GET /api/search/suggestions'>[number]
  | { readonly type: 'collection'; readonly text: string; readonly file_uuid: null; readonly count: number };

/** An operator at the end of the text whose name is being typed. */
const unfinished = /(?<=^|\s)(-?)(speaker|tag|in|before|after):(?:"[^"]*|[^\s"]*)$/iu;

/** The beginning of a collection’s name that is typed after `in:`; null: something else is typed. */
export function typedCollection(text: string): string | null {
  return (
    /(?<=^|\s)-?in:(?:"([^"]*)|([^\s"]*))$/iu
      .exec(text)
      ?.slice(1)
      .find((name) => name !== undefined) ?? null
  );
}

/** The search text after the suggestion was chosen: an unfinished operator at its end is replaced. */
export function withSuggestion(text: string, { type, text: name }: Suggestion): string {
  if (type === 'content' || type === 'title') return name;
  const found = unfinished.exec(text);
  const before = found ? text.slice(0, found.index) : '';
  const minus = found?.[1] ?? '';
  const operator = type === 'collection' ? 'in' : type;
  return `${before}${minus}${operator}:${quoted(name)} `;
}

/** Names with blanks need quotes; a name cannot contain one. */
function quoted(name: string): string {
  const plain = name.replaceAll('"', ' ').trim();
  return /\s/.test(plain) ? `"${plain}"` : plain;
}
