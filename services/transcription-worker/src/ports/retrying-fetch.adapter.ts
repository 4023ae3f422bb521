import { setTimeout as sleep } from 'node:timers/promises';
import { isAppError } from '@overtone/service-kit/errors';
import type { FormData, Response } from 'undici';
import type { FetchEndpoint } from './endpoint-fetch.adapter.ts';
import { engineRefused, engineUnreachable } from '../failures.ts';

export type RetryingRequest = {
  fetchEndpoint: FetchEndpoint;
  /** Name of the service in error messages. */
  name: string;
  url: string;
  headers: Record<string, string>;
  /** Created for every attempt. */
  body: () => FormData | string;
  attempts: number;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
};

const maxWaitMs = 120_000;
/** A service that does not answer in time rarely does the next time, and each attempt lasts as long as the timeout. */
const mostTimeouts = 2;

/** `Retry-After` as seconds or as a date (RFC 9110, 10.2.3). */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null || header.trim() === '') return undefined;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - now;
  return Number.isFinite(ms) ? Math.min(maxWaitMs, Math.max(0, ms)) : undefined;
}

function isTransient(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** Wrong address, key or model: a configuration error, which must not fail the job permanently. */
function isConfigurationError(status: number): boolean {
  return [401, 402, 403, 404, 405].includes(status);
}

function backoffOf(attempt: number): number {
  return Math.min(30_000, 500 * 2 ** attempt) * (0.75 + Math.random() / 2);
}

type AttemptResult = { response: Response } | { wait: number | undefined; cause: unknown; timedOut: boolean };

async function sendOnce(request: RetryingRequest): Promise<AttemptResult> {
  const timeout = AbortSignal.timeout(request.timeoutMs);
  const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout;
  let response: Response;
  try {
    response = await request.fetchEndpoint(request.url, {
      method: 'POST',
      headers: request.headers,
      body: request.body(),
      signal,
    });
  } catch (cause) {
    request.signal?.throwIfAborted();
    if (isAppError(cause)) throw engineUnreachable(request.name, { cause, detail: cause.message });
    return { wait: undefined, cause, timedOut: timeout.aborted };
  }
  if (response.ok) return { response };
  const detail = `${response.status}: ${(await response.text().catch(() => '')).slice(0, 500)}`;
  if (isTransient(response.status)) {
    return { wait: retryAfterMs(response.headers.get('retry-after'), Date.now()), cause: detail, timedOut: false };
  }
  throw isConfigurationError(response.status)
    ? engineUnreachable(request.name, { detail })
    : engineRefused(request.name, { detail });
}

/** Sends a POST request with retries after transient errors; honours `Retry-After`. */
export async function fetchWithRetries(request: RetryingRequest): Promise<Response> {
  let timeouts = 0;
  for (let attempt = 0; ; attempt++) {
    const outcome = await sendOnce(request);
    if ('response' in outcome) return outcome.response;
    if (outcome.timedOut) timeouts += 1;
    if (attempt + 1 >= request.attempts || timeouts >= mostTimeouts) {
      throw engineUnreachable(request.name, { cause: outcome.cause, detail: String(outcome.cause) });
    }
    await sleep(outcome.wait ?? backoffOf(attempt), undefined, request.signal ? { signal: request.signal } : {});
  }
}
