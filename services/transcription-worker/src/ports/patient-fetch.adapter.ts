import { setTimeout as sleep } from 'node:timers/promises';
import { engineRefused, engineUnreachable } from '../failures.ts';

export interface PatientRequest {
  /** How the service is called in messages. */
  name: string;
  url: string;
  headers: Record<string, string>;
  /** Created for every attempt. */
  body: () => FormData | string;
  attempts: number;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

const longestWaitMs = 120_000;

/** `Retry-After` as seconds or as a date (RFC 9110, 10.2.3). */
export const retryAfterMs = (header: string | null, now: number): number | undefined => {
  if (header === null || header.trim() === '') return undefined;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - now;
  return Number.isFinite(ms) ? Math.min(longestWaitMs, Math.max(0, ms)) : undefined;
};

const mayPass = (status: number): boolean => status === 408 || status === 429 || status >= 500;
/** Our address, key or model is wrong: no recording's fault, so it must not be a permanent failure of the job. */
const ourFault = (status: number): boolean => [401, 402, 403, 404, 405].includes(status);

const pauseOf = (attempt: number): number => Math.min(30_000, 500 * 2 ** attempt) * (0.75 + Math.random() / 2);

type Attempt = { answer: Response } | { wait: number | undefined; cause: unknown };

const tryOnce = async (r: PatientRequest): Promise<Attempt> => {
  const timeout = AbortSignal.timeout(r.timeoutMs);
  const signal = r.signal ? AbortSignal.any([r.signal, timeout]) : timeout;
  let response: Response;
  try {
    response = await fetch(r.url, { method: 'POST', headers: r.headers, body: r.body(), signal, redirect: 'error' });
  } catch (cause) {
    r.signal?.throwIfAborted();
    return { wait: undefined, cause };
  }
  if (response.ok) return { answer: response };
  const detail = `${response.status}: ${(await response.text().catch(() => '')).slice(0, 500)}`;
  if (mayPass(response.status)) {
    return { wait: retryAfterMs(response.headers.get('retry-after'), Date.now()), cause: detail };
  }
  throw ourFault(response.status) ? engineUnreachable(r.name, { detail }) : engineRefused(r.name, { detail });
};

/** Posts until it is answered: busy and broken servers are asked again, as late as they wish. */
export const patientFetch = async (r: PatientRequest): Promise<Response> => {
  for (let attempt = 0; ; attempt++) {
    const outcome = await tryOnce(r);
    if ('answer' in outcome) return outcome.answer;
    if (attempt + 1 >= r.attempts) {
      throw engineUnreachable(r.name, { cause: outcome.cause, detail: String(outcome.cause) });
    }
    await sleep(outcome.wait ?? pauseOf(attempt), undefined, r.signal ? { signal: r.signal } : {});
  }
};
