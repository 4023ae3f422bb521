import { snippetParts } from '../lib/snippet.ts';

/** A snippet as text nodes and `<mark>`; it is never parsed as HTML. */
export function Snippet({ html }: { html: string }) {
  return (
    <bdi>
      {snippetParts(html).map((part, i) =>
        part.marked ? <mark key={i}>{part.text}</mark> : <span key={i}>{part.text}</span>,
      )}
    </bdi>
  );
}
