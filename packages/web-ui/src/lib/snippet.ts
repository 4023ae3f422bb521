/** A part of a search snippet: plain text, marked or not. */
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

/**
 * Splits a snippet (escaped text in which only `<mark>` is markup) into parts for text nodes. Anything else that looks
 * like a tag stays visible text, because a transcript must never reach the HTML parser.
 */
export function snippetParts(snippet: string): SnippetPart[] {
  const parts: SnippetPart[] = [];
  let marked = false;
  for (const part of snippet.split(/(<\/?mark>)/)) {
    if (part === '<mark>') marked = true;
    else if (part === '</mark>') marked = false;
    else if (part !== '') parts.push({ text: unescape(part), marked });
  }
  return parts;
}

function unescape(html: string): string {
  return html.replace(
    /&([a-z]+|#\d+|#x[0-9a-f]+);/gi,
    (whole, name: string) => entities[name] ?? entities[name.toLowerCase()] ?? whole,
  );
}
