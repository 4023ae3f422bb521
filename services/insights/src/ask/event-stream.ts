import type { ServerResponse } from 'node:http';
import type { AskEvent } from '@overtone/contracts';

/** Shorter than the time after which proxies end a silent response. */
const commentEveryMs = 10_000;

/** Writes server-sent events (WHATWG HTML, 9.2). A reader that left receives nothing; the work continues. */
export function openEventStream(res: ServerResponse) {
  res.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    // Some proxies collect a response before they send it on.
    'x-accel-buffering': 'no',
  });
  res.flushHeaders();
  const write = (text: string): void => {
    if (!res.destroyed && !res.writableEnded) res.write(text);
  };
  const comments = setInterval(() => write(': waiting\n\n'), commentEveryMs);
  return {
    emit: ({ event, data }: AskEvent): void => write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
    close: (): void => {
      clearInterval(comments);
      res.end();
    },
  };
}
