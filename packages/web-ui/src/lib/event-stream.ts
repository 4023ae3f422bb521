/** One event of a server-sent stream; `data` is its text. */
export type StreamEvent = { readonly event: string; readonly data: string };

/** Parses server-sent events (WHATWG HTML, 9.2.6) from pieces of any length; comments are dropped. */
export function createEventParser(): (piece: string) => StreamEvent[] {
  let rest = '';
  return (piece) => {
    const blocks = (rest + piece).split(/\r?\n\r?\n/);
    rest = blocks.pop() ?? '';
    return blocks.flatMap((block) => {
      const lines = block.split(/\r?\n/);
      const data = lines.flatMap((line) => valueOf(line, 'data'));
      const event = lines.flatMap((line) => valueOf(line, 'event'))[0] ?? 'message';
      return data.length === 0 ? [] : [{ event, data: data.join('\n') }];
    });
  };
}

function valueOf(line: string, field: string): string[] {
  return line.startsWith(`${field}:`) ? [line.slice(field.length + 1).replace(/^ /, '')] : [];
}
