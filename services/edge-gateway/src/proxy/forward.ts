import type { Readable } from 'node:stream';
import type { AppError, HealthProbe } from '@overtone/service-kit';
import { errors, type Dispatcher } from 'undici';
import type { Doubt } from '../callers/callers.ts';
import { refusals } from '../refusals/refusals.ts';
import type { ConnectionWait } from '../upstreams/upstreams.ts';
import { createResponseWriter, type ResponseTarget } from './response-writer.ts';

export type Forward = ResponseTarget & {
  pool: Dispatcher;
  /** Ends the request when its service is unresponsive. */
  healthProbe: Pick<HealthProbe, 'track'>;
  /** The upstream service, for error messages. */
  service: string;
  method: string;
  target: string;
  /** Created for every attempt: the caller's assertion is valid for 30 s only. */
  headers: () => string[];
  body: Readable | null;
  /** The service has received something of the request, and records it in its access log. */
  onSent?: () => void;
  /** Receives a function that aborts the request when its session ends; returns one to call when the request ends. */
  watch?: ((end: (why: Doubt) => void) => () => void) | undefined;
};

/** No response. `sent`: the service may have received part of the request. `timedOut`: it kept the connection, silently. */
type Unanswered = { sent: boolean; timedOut: boolean; error: AppError };

const safe = new Set(['GET', 'HEAD', 'OPTIONS']);

/** How often a safe request may lose its connection: once to a closing keep-alive connection, once to a crash. */
const maxBroken = 2;

/**
 * Forwards requests. One that was not sent, because its service accepts no connection at the moment, waits until the
 * service is back. A safe request without a body is also sent again when the connection broke before a response: the
 * service may have closed a keep-alive connection at that moment (RFC 9110, 9.2.2). After the time limit it is not: the
 * client has waited long enough, and a service that hangs would only get more work.
 */
export function createForward(connectionWait: ConnectionWait) {
  return async (forward: Forward): Promise<void> => {
    const { body, method, res, service } = forward;
    const repeatable = body === null && safe.has(method);
    for (let broken = 0, attempts = 0; !res.destroyed && !body?.destroyed; attempts += 1) {
      const failure = await attempt(forward);
      if (failure === undefined || failure.sent) connectionWait.seen(service);
      if (failure === undefined) return;
      if (failure.sent) broken += 1;
      // An unresponsive service accepts connections: there is no connection to wait for.
      const again =
        !failure.timedOut &&
        (failure.sent ? repeatable && broken <= maxBroken : await connectionWait.pause(service, attempts));
      if (!again) throw failure.error;
    }
  };
}

/**
 * Streams a request to a service and the response back, in step with the slower side, without keeping either.
 * @returns resolves when the response was sent or the client has left, and to the failure when there was no response.
 */
function attempt(forward: Forward): Promise<Unanswered | undefined> {
  return new Promise((resolve, reject) => {
    const { pool, healthProbe, service, method, target, headers, body, res, onSent } = forward;
    const done = () => resolve(undefined);
    const writer = createResponseWriter(forward);
    const abort = abortOnLeave(forward, { done, reject });
    let sent = false;
    const rejectUnresponsive = (): void => {
      resolve({ sent, timedOut: true, error: refusals.serviceUnresponsive(service) });
      abort.end('the service is unresponsive');
    };
    const responded = healthProbe.track(rejectUnresponsive);
    if (!responded) return rejectUnresponsive();
    pool.dispatch(
      { method, path: target, headers: headers(), body },
      {
        onRequestStart: (controller) => {
          sent = true;
          onSent?.();
          abort.start(controller);
        },
        onResponseStart: (_controller, status, responseHeaders) => {
          responded(true);
          if (!abort.aborted() && !res.headersSent && status >= 200) writer.begin(status, responseHeaders);
        },
        onResponseData: (controller, chunk) => {
          if (abort.aborted() || writer.write(chunk)) return;
          controller.pause();
          writer.onceDrained(() => controller.resume());
        },
        onResponseEnd: () => {
          writer.end();
          done();
        },
        onResponseError: (_controller, error) => {
          responded(false);
          if (abort.aborted()) return done();
          if (res.headersSent) {
            // Cut off rather than ended, so that half a response is not taken for a whole one.
            res.destroy();
            return done();
          }
          abort.release();
          const timedOut = error instanceof errors.HeadersTimeoutError;
          resolve({ sent, timedOut, error: refusals.serviceUnavailable(service, error) });
        },
      },
    );
  });
}

type Outcome = { done: () => void; reject: (refusal: AppError) => void };

/** Aborts a request when its client leaves or its session ends. */
function abortOnLeave({ body, res, watch }: Forward, { done, reject }: Outcome) {
  let started: Dispatcher.DispatchController | undefined;
  let aborted = false;
  const abort = (reason: string): void => {
    body?.destroy();
    started?.abort(new Error(reason));
  };
  const onClose = (): void => {
    if (res.writableFinished) return;
    aborted = true;
    abort('the client left');
    done();
  };
  const onSessionEnd = (why: Doubt): void => {
    aborted = true;
    res.off('close', onClose);
    if (res.headersSent) {
      // A reset also takes back what is on its way in the system's buffers: several megabytes to a slow reader.
      res.socket?.resetAndDestroy();
      done();
    } else reject(why === 'ended' ? refusals.sessionEnded() : refusals.sessionUnknown());
    abort('the session ended');
  };
  res.on('close', onClose);
  const leave = watch?.(onSessionEnd);
  if (leave) res.on('close', leave);
  /** Stops watching: there may be another attempt. */
  const release = (): void => {
    res.off('close', onClose);
    if (!leave) return;
    res.off('close', leave);
    leave();
  };
  return {
    aborted: (): boolean => aborted,
    end: (reason: string): void => {
      aborted = true;
      release();
      abort(reason);
    },
    start: (controller: Dispatcher.DispatchController): void => {
      started = controller;
      if (aborted) controller.abort(new Error('the client no longer waits for the response'));
    },
    release,
  };
}
