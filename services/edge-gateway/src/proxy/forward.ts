import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { unauthenticated, unavailable, type AppError } from '@overtone/service-kit';
import type { Dispatcher } from 'undici';
import type { Doubt } from '../callers/callers.ts';
import type { Patience } from '../patience.ts';
import { responseHeaders } from '../routing/routing.ts';

export type Forward = {
  pool: Dispatcher;
  /** Whose answer this will be, for the words of a failure. */
  service: string;
  method: string;
  target: string;
  /** Made anew for every try: who is calling is vouched for 30 s only. */
  headers: () => string[];
  body: Readable | null;
  res: ServerResponse;
  /** Headers that every answer carries. */
  always: readonly string[];
  /** Whether cookies that the service sets go on to the client. */
  cookies: boolean;
  /** Is told how to cut the request off should its session end; gives what to call when it is over. */
  watch?: ((end: (why: Doubt) => void) => () => void) | undefined;
};

/** Before a service has answered it can only be said that it does not. */
const noAnswer = (service: string, cause: unknown): AppError =>
  unavailable('service_unavailable', 'This part of Overtone does not answer at the moment. Please try again shortly.', {
    cause,
    detail: service,
    retryAfterSeconds: 3,
  });

/** Nobody answered. `sent`: the service may have seen something of the request. */
type Unanswered = { sent: boolean; error: AppError };

/**
 * Streams a request to a service and the answer back, in step with the slower side, without keeping either.
 * @returns resolves when the answer has gone out or the client has left, and to what is wrong when there was no answer.
 */
const attempt = (f: Forward): Promise<Unanswered | undefined> =>
  new Promise((resolve, reject) => {
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

    f.pool.dispatch(
      { method: f.method, path: f.target, headers: f.headers(), body: f.body },
      {
        onRequestStart: (controller) => {
          control = controller;
          sent = true;
          if (left) controller.abort(new Error('nobody waits for the answer'));
        },
        onResponseStart: (_controller, status, headers) => {
          if (left || res.headersSent || status < 200) return;
          const out = responseHeaders(headers, f.cookies);
          // What a service does not call cacheable is somebody's own data.
          if (headers['cache-control'] === undefined) out.push('cache-control', 'no-store');
          res.writeHead(status, [...out, ...f.always]);
        },
        onResponseData: (controller, chunk) => {
          if (left || res.write(chunk)) return;
          controller.pause();
          res.once('drain', onDrain);
        },
        onResponseEnd: () => {
          res.end();
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

const safe = new Set(['GET', 'HEAD', 'OPTIONS']);

const sessionEnded = (): AppError => unauthenticated('not_authenticated', 'The session has ended. Please sign in.');

/** Nobody can say whether the session goes on: it goes no further, but nobody is told that they are signed out. */
const sessionUnknown = (): AppError =>
  unavailable('service_unavailable', 'Sessions cannot be checked at the moment', { retryAfterSeconds: 3 });

/** How often a safe request may lose its connection: once to a kept one that was closing, once to a death. */
const maxBroken = 2;

/**
 * Hands requests on. One that was not sent, because its service takes no connection at this moment, waits until the
 * service is back. A safe request without a body is asked again, too, when the connection broke before an answer: the
 * service may have closed a kept connection at that very moment (RFC 9110, 9.2.2).
 */
export const createForward =
  (patience: Patience) =>
  async (f: Forward): Promise<void> => {
    const repeatable = f.body === null && safe.has(f.method);
    for (let broken = 0, looks = 0; !f.res.destroyed; looks += 1) {
      const failure = await attempt(f);
      if (failure === undefined || failure.sent) patience.seen(f.service);
      if (failure === undefined) return;
      if (failure.sent) broken += 1;
      const again = failure.sent ? repeatable && broken <= maxBroken : await patience.pause(f.service, looks);
      if (!again) throw failure.error;
    }
  };
