import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { unauthenticated, unavailable, type AppError } from '@overtone/service-kit';
import type { Dispatcher } from 'undici';
import type { Doubt } from '../callers/callers.ts';
import type { AnswerHead, Compressed, Encoder } from '../compression/compression.ts';
import type { ConnectionWait } from '../connection-wait.ts';
import { responseHeaders } from '../routing/routing.ts';

export type Forward = {
  pool: Dispatcher;
  /** The upstream service, for error messages. */
  service: string;
  method: string;
  target: string;
  /** Created for every attempt: the caller's assertion is valid for 30 s only. */
  headers: () => string[];
  body: Readable | null;
  res: ServerResponse;
  /** Headers of every response. */
  always: readonly string[];
  /** Whether cookies of the service are passed to the client. */
  cookies: boolean;
  /** How the response is compressed; undefined: not at all. */
  compress?: ((answer: AnswerHead) => Compressed) | undefined;
  /** The service has received something of the request, and records it in its access log. */
  onSent?: () => void;
  /** Receives a function that aborts the request when its session ends; returns one to call when the request ends. */
  watch?: ((end: (why: Doubt) => void) => () => void) | undefined;
};

/** No response. `sent`: the service may have received part of the request. */
type Unanswered = { sent: boolean; error: AppError };

const safe = new Set(['GET', 'HEAD', 'OPTIONS']);

/** How often a safe request may lose its connection: once to a closing keep-alive connection, once to a crash. */
const maxBroken = 2;

/**
 * Forwards requests. One that was not sent, because its service accepts no connection at the moment, waits until the
 * service is back. A safe request without a body is also sent again when the connection broke before a response: the
 * service may have closed a keep-alive connection at that moment (RFC 9110, 9.2.2).
 */
export function createForward(connectionWait: ConnectionWait) {
  return async (f: Forward): Promise<void> => {
    const repeatable = f.body === null && safe.has(f.method);
    for (let broken = 0, looks = 0; !f.res.destroyed && !f.body?.destroyed; looks += 1) {
      const failure = await attempt(f);
      if (failure === undefined || failure.sent) connectionWait.seen(f.service);
      if (failure === undefined) return;
      if (failure.sent) broken += 1;
      const again = failure.sent ? repeatable && broken <= maxBroken : await connectionWait.pause(f.service, looks);
      if (!again) throw failure.error;
    }
  };
}

/**
 * Streams a request to a service and the answer back, in step with the slower side, without keeping either.
 * @returns resolves when the answer has gone out or the client has left, and to what is wrong when there was no answer.
 */
function attempt(f: Forward): Promise<Unanswered | undefined> {
  return new Promise((resolve, reject) => {
    const { res } = f;
    const done = () => resolve(undefined);
    let sent = false;
    let control: Dispatcher.DispatchController | undefined;
    let left = false;
    const onClose = () => {
      if (res.writableFinished) return;
      left = true;
      f.body?.destroy();
      control?.abort(new Error('the client left'));
      done();
    };
    res.on('close', onClose);
    const leave = f.watch?.((why) => {
      left = true;
      res.off('close', onClose);
      if (res.headersSent) {
        // A reset also takes back what is on its way in the system's buffers: several megabytes to a slow reader.
        res.socket?.resetAndDestroy();
        done();
      } else reject(why === 'ended' ? sessionEnded() : sessionUnknown());
      f.body?.destroy();
      control?.abort(new Error('the session ended'));
    });
    if (leave) res.on('close', leave);
    const onDrain = () => control?.resume();
    let encoder: Encoder | undefined;
    let streaming = false;
    let flushing = false;
    /** @returns false: wait for `drain`. */
    const write = (chunk: Buffer): boolean => {
      if (!encoder) return res.write(chunk);
      const more = encoder.write(chunk);
      if (streaming && !flushing) {
        flushing = true;
        encoder.flush(() => (flushing = false));
      }
      return more;
    };
    const encodeTo = (made: Encoder): void => {
      encoder = made;
      made.on('error', () => res.destroy());
      res.once('close', () => made.destroy());
      made.pipe(res);
    };

    f.pool.dispatch(
      { method: f.method, path: f.target, headers: f.headers(), body: f.body },
      {
        onRequestStart: (controller) => {
          control = controller;
          sent = true;
          f.onSent?.();
          if (left) controller.abort(new Error('the client no longer waits for the response'));
        },
        onResponseStart: (_controller, status, headers) => {
          if (left || res.headersSent || status < 200) return;
          const compressed = f.compress?.({ status, headers }) ?? { headers, encoder: undefined, streaming: true };
          streaming = compressed.streaming;
          const out = responseHeaders(compressed.headers, f.cookies);
          // Responses without cache headers may hold personal data.
          if (headers['cache-control'] === undefined) out.push('cache-control', 'no-store');
          res.writeHead(status, [...out, ...without(f.always, headers)]);
          if (compressed.encoder) encodeTo(compressed.encoder);
        },
        onResponseData: (controller, chunk) => {
          if (left || write(chunk)) return;
          controller.pause();
          (encoder ?? res).once('drain', onDrain);
        },
        onResponseEnd: () => {
          (encoder ?? res).end();
          done();
        },
        onResponseError: (_controller, error) => {
          if (left) return done();
          if (res.headersSent) {
            // Cut off rather than ended, so that half an answer is not taken for a whole one.
            res.destroy();
            return done();
          }
          res.off('close', onClose);
          if (leave) {
            res.off('close', leave);
            leave();
          }
          resolve({ sent, error: noAnswer(f.service, error) });
        },
      },
    );
  });
}

/** The headers of every answer, except those that the service has set more strictly. */
function without(always: readonly string[], headers: Record<string, unknown>): string[] {
  const out: string[] = [];
  for (let i = 0; i < always.length; i += 2) {
    const name = always[i] as string;
    const lower = name.toLowerCase();
    if (lower === 'x-request-id' || headers[lower] === undefined) out.push(name, always[i + 1] as string);
  }
  return out;
}

function sessionEnded(): AppError {
  return unauthenticated('not_authenticated', 'The session has ended. Please sign in.');
}

/** The state of the session is unknown: the request ends, but not as signed out. */
function sessionUnknown(): AppError {
  return unavailable('service_unavailable', 'Sessions cannot be checked at the moment', { retryAfterSeconds: 3 });
}

/** The error for a service that has not responded. */
function noAnswer(service: string, cause: unknown): AppError {
  return unavailable(
    'service_unavailable',
    'This part of Overtone does not answer at the moment. Please try again shortly.',
    {
      cause,
      detail: service,
      retryAfterSeconds: 3,
    },
  );
}
