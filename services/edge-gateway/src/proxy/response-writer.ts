import type { ServerResponse } from 'node:http';
import type { Compressed, Encoder, ResponseHead } from '../compression/compression.ts';
import { responseHeaders } from '../routing/routing.ts';

export type ResponseTarget = {
  res: ServerResponse;
  /** Headers of every response. */
  always: readonly string[];
  /** Whether cookies of the service are passed to the client. */
  cookies: boolean;
  /** How the response is compressed; undefined: not at all. */
  compress?: ((head: ResponseHead) => Compressed) | undefined;
};

/** Writes the response of a service to the client, compressed as the client accepts it. */
export function createResponseWriter({ res, always, cookies, compress }: ResponseTarget) {
  let encoder: Encoder | undefined;
  let streaming = false;
  let flushing = false;
  return {
    begin: (status: number, headers: ResponseHead['headers']): void => {
      const compressed = compress?.({ status, headers }) ?? { headers, encoder: undefined, streaming: true };
      ({ encoder, streaming } = compressed);
      const out = responseHeaders(compressed.headers, cookies);
      // Responses without cache headers may hold personal data.
      if (headers['cache-control'] === undefined) out.push('cache-control', 'no-store');
      res.writeHead(status, [...out, ...without(always, headers)]);
      if (encoder) pipeEncoded(encoder, res);
    },
    /** @returns false: wait until drained. */
    write: (chunk: Buffer): boolean => {
      if (!encoder) return res.write(chunk);
      const more = encoder.write(chunk);
      if (streaming && !flushing) {
        flushing = true;
        encoder.flush(() => (flushing = false));
      }
      return more;
    },
    onceDrained: (resume: () => void): void => void (encoder ?? res).once('drain', resume),
    end: (): void => void (encoder ?? res).end(),
  };
}

function pipeEncoded(encoder: Encoder, res: ServerResponse): void {
  encoder.on('error', () => res.destroy());
  res.once('close', () => encoder.destroy());
  encoder.pipe(res);
}

/** The headers of every response, except those that the service has set more strictly. */
function without(always: readonly string[], headers: ResponseHead['headers']): string[] {
  const out: string[] = [];
  for (let i = 0; i < always.length; i += 2) {
    const name = always[i] as string;
    const lower = name.toLowerCase();
    if (lower === 'x-request-id' || headers[lower] === undefined) out.push(name, always[i + 1] as string);
  }
  return out;
}
