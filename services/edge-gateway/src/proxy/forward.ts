import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { isAppError, unauthenticated, unavailable, type AppError } from '@overtone/service-kit';
import type { Dispatcher } from 'undici';
import { responseHeaders } from '../routing/routing.ts';

export type Forward = {
  pool: Dispatcher;
  /** Whose answer this will be, for the words of a failure. */
  service: string;
  method: string;
  target: string;
  headers: string[];
  body: Readable | null;
  res: ServerResponse;
  /** Headers that every answer carries. */
  always: readonly string[];
  /** Whether cookies that the service sets go on to the client. */
  cookies: boolean;
  /** Is told how to cut the request off should its session end; gives what to call when it is over. */
  watch?: ((end: () => void) => () => void) | undefined;
};

/** Before a service has answered it can only be said that it does not. */
const noAnswer = (service: string, cause: unknown): AppError =>
  unavailable('service_unavailable', 'This part of Overtone does not answer at the moment. Please try again shortly.', {
    cause,
    detail: service,
    retryAfterSeconds: 3,
  });

/**
 * Streams a request to a service and the answer back, in step with the slower side, without keeping either.
 * @returns resolves when the answer has gone out or the client has left. @throws AppError unavailable.
 */
const attempt = (f: Forward): Promise<void> =>
  new Promise((resolve, reject) => {
    const { res } = f;
    let control: Dispatcher.DispatchController | undefined;
    let left = false;
    const onClose = () => {
      if (res.writableFinished) return;
      left = true;
      f.body?.destroy();
      control?.abort(new Error('the client left'));
      resolve();
    };
    res.on('close', onClose);
    const leave = f.watch?.(() => {
      left = true;
      res.off('close', onClose);
      if (res.headersSent) {
        res.destroy();
        resolve();
      } else reject(sessionEnded());
      f.body?.destroy();
      control?.abort(new Error('the session ended'));
    });
    if (leave) res.on('close', leave);
    const onDrain = () => control?.resume();

    f.pool.dispatch(
      { method: f.method, path: f.target, headers: f.headers, body: f.body },
      {
        onRequestStart: (controller) => {
          control = controller;
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
          resolve();
        },
        onResponseError: (_controller, error) => {
          if (left) return resolve();
          if (res.headersSent) {
            // Cut off rather than ended, so that half an answer is not taken for a whole one.
            res.destroy();
            return resolve();
          }
          res.off('close', onClose);
          reject(noAnswer(f.service, error));
        },
      },
    );
  });

const safe = new Set(['GET', 'HEAD', 'OPTIONS']);

const sessionEnded = (): AppError => unauthenticated('not_authenticated', 'The session has ended. Please sign in.');
const mayTryAgain = (e: unknown): boolean => isAppError(e) && e.kind === 'unavailable';

/**
 * Hands a request on. A safe one without a body is asked once more when the connection broke before an answer: the
 * service may have closed a kept connection at that very moment (RFC 9110, 9.2.2).
 */
export const forward = async (f: Forward): Promise<void> => {
  if (f.body || !safe.has(f.method)) return attempt(f);
  try {
    await attempt(f);
  } catch (e) {
    if (!mayTryAgain(e)) throw e;
    await attempt(f);
  }
};
