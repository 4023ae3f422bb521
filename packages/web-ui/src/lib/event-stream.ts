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

/** Thrown when the connection of a stream broke or went silent. */
export class LostStream extends Error {
  override readonly name = 'LostStream';
}

/** Longer than the server's pauses between two comments (services/insights/src/ask/event-stream.ts). */
const silenceLimitMs = 30_000;

/** Reads a stream to its end. @throws LostStream, when nothing arrives for 30 s: a line that a proxy dropped stays open. */
export async function readEvents(stream: ReadableStream<string>, onEvent: (event: StreamEvent) => void): Promise<void> {
  const parse = createEventParser();
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await readPiece(reader);
    if (done) return;
    for (const event of parse(value)) onEvent(event);
  }
}

async function readPiece(reader: ReadableStreamDefaultReader<string>): Promise<ReadableStreamReadResult<string>> {
  const silence = Promise.withResolvers<never>();
  const timer = setTimeout(() => silence.reject(new Error('silence')), silenceLimitMs);
  try {
    return await Promise.race([reader.read(), silence.promise]);
  } catch (cause) {
    // On a lost line the cancellation may never end.
    void reader.cancel().catch(() => undefined);
    throw new LostStream('The connection was lost.', { cause });
  } finally {
    clearTimeout(timer);
  }
}

function valueOf(line: string, field: string): string[] {
  return line.startsWith(`${field}:`) ? [line.slice(field.length + 1).replace(/^ /, '')] : [];
}
