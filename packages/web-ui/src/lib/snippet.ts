/** A piece of a search snippet: plain text, marked or not. */
export type SnippetPart = { readonly text: string; readonly marked: boolean };

const entities: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#39': "'",
  '#x27': "'",
  '#34': '"',
  '#47': '/',
  '#x2F': '/',
  '#96': '`',
};
const unescape = (html: string): string =>
  html.replace(
    /&([a-z]+|#\d+|#x[0-9a-f]+);/gi,
    (whole, name: string) => entities[name] ?? entities[name.toLowerCase()] ?? whole,
  );

/**
 * Splits a snippet (escaped text in which only `<mark>` is markup) into parts to be rendered as text nodes. Anything
 * else that looks like a tag stays visible text: nothing of a transcript ever reaches the HTML parser.
 */
export const snippetParts = (snippet: string): SnippetPart[] => {
  const parts: SnippetPart[] = [];
  let marked = false;
  for (const piece of snippet.split(/(<\/?mark>)/)) {
    if (piece === '<mark>') marked = true;
    else if (piece === '</mark>') marked = false;
    else if (piece !== '') parts.push({ text: unescape(piece), marked });
  }
  return parts;
};
