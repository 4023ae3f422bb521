import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { isSilence, withoutSilence } from './silence.ts';

type Handle = Parameters<typeof withoutSilence>[0];
type Request = Parameters<Handle>[0];
type Seen = { body?: AsyncIterable<Uint8Array>; signal: AbortSignal };

const withinMs = 10_000;
beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] }));
afterEach(() => void jest.useRealTimers());

function requestOf(fields: Partial<Pick<Request, 'method' | 'query' | 'body'>>): Request {
  const request = { method: 'PUT', query: {}, ...fields };
  return { ...request, clone: () => ({ ...request }) };
}

/** Sends a request to a server with the given behaviour. */
function send(
  request: Request,
  server: (seen: Seen) => Promise<unknown>,
  options: { requestTimeout?: number; abortSignal?: AbortSignal } = {},
): Promise<unknown> {
  const handle = ((sent: Request, { abortSignal }: { abortSignal: AbortSignal }) =>
    server({ body: sent.body as AsyncIterable<Uint8Array>, signal: abortSignal })) as unknown as Handle;
  return withoutSilence(handle, withinMs)(request, options).catch((error: unknown) =>
    isSilence(error) ? 'silence' : error,
  );
}

/** Sends nothing, and records when its connection is closed. */
function mute(letGo: () => void = () => {}) {
  return ({ signal }: Seen): Promise<unknown> => {
    signal.addEventListener('abort', letGo);
    return new Promise(() => {});
  };
}

async function outcomeAt(outcome: Promise<unknown>, ms: number): Promise<unknown> {
  await jest.advanceTimersByTimeAsync(ms);
  return Promise.race([outcome, Promise.resolve('waits')]);
}

describe('request to a server', () => {
  it('ends with its connection when the server sends nothing', async () => {
    const letGo = jest.fn();
    const outcome = send(requestOf({}), mute(letGo));
    expect(await outcomeAt(outcome, withinMs - 1)).toBe('waits');
    expect(await outcomeAt(outcome, 1)).toBe('silence');
    expect(letGo).toHaveBeenCalledTimes(1);
  });

  it('completes when the server reads the body slowly', async () => {
    const sent = Buffer.from(Array.from({ length: 1_000_000 }, (_, i) => i % 251));
    const slow = async ({ body }: Seen): Promise<unknown> => {
      const got: Uint8Array[] = [];
      for await (const piece of body ?? []) {
        got.push(piece);
        jest.advanceTimersByTime(withinMs - 1);
      }
      return Buffer.concat(got).equals(sent) && got.length > 10;
    };
    expect(await send(requestOf({ body: sent }), slow)).toBe(true);
  });

  it('ends when the server stops reading the body', async () => {
    const stopping = async ({ body }: Seen): Promise<unknown> => {
      for await (const piece of body ?? []) if (piece.length > 0) break;
      return new Promise(() => {});
    };
    const outcome = send(requestOf({ body: Buffer.alloc(1_000_000) }), stopping);
    await new Promise((resolve) => setImmediate(resolve));
    expect(await outcomeAt(outcome, withinMs)).toBe('silence');
  });

  it('uses its own timeout when one is set, and a longer one for completing a large object', async () => {
    const copied = send(requestOf({}), mute(), { requestTimeout: 110_000 });
    const completed = send(requestOf({ method: 'POST', query: { uploadId: 'u' } }), mute());
    expect(await outcomeAt(completed, 29_999)).toBe('waits');
    expect(await outcomeAt(completed, 1)).toBe('silence');
    expect(await outcomeAt(copied, 79_999)).toBe('waits');
    expect(await outcomeAt(copied, 1)).toBe('silence');
  });

  it('is still aborted by the caller, also after the head of its response', async () => {
    const letGo = jest.fn();
    const own = new AbortController();
    const answering = async (seen: Seen): Promise<unknown> => {
      void mute(letGo)(seen);
      return 'head';
    };
    expect(await send(requestOf({}), answering, { abortSignal: own.signal })).toBe('head');
    await jest.advanceTimersByTimeAsync(10 * withinMs);
    expect(letGo).not.toHaveBeenCalled();
    own.abort();
    expect(letGo).toHaveBeenCalledTimes(1);
  });
});
