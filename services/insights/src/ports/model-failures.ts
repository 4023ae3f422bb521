import { APICallError } from '@ai-sdk/provider';
import { unavailable, type AppError, type ErrorCode, type ErrorOptions } from '@overtone/service-kit';
import { refusalOf } from '@overtone/service-kit/outbound';

const maxDetail = 500;
/** Longer waits are not obeyed to the second: the provider would block for hours. */
const maxRetryAfterSeconds = 3_600;
const contextPattern =
  /context (length|window|size)|too (long|many (input )?tokens)|maximum.{0,30}tokens|exceeds? .{0,40}tokens/i;

/** The failures of a request to a language model, in our words. `detail` has the server's own, for the log. */
export const modelFailures = {
  timeout: (provider: string, seconds: number): AppError =>
    unavailable('provider_timeout', `${provider} sent nothing for ${seconds} seconds.`),
  contextExceeded: (provider: string, detail?: string): AppError =>
    unavailable('provider_context_exceeded', `The request is longer than the context window of ${provider}.`, {
      permanent: true,
      ...withDetail(detail),
    }),
  answerInvalid: (provider: string, detail?: string): AppError =>
    unavailable('provider_answer_invalid', `${provider} sent an answer that cannot be read.`, withDetail(detail)),
  keyUnreadable: (provider: string): AppError =>
    unavailable(
      'provider_key_unreadable',
      `The stored key of ${provider} cannot be decrypted: ENCRYPTION_KEY has changed. Enter the key again.`,
      { permanent: true },
    ),
  paused: (provider: string, seconds: number): AppError =>
    unavailable('provider_paused', `${provider} has failed several times and is not used for a moment.`, {
      retryAfterSeconds: Math.max(1, Math.ceil(seconds)),
    }),
  rateLimited: (provider: string, options: ErrorOptions = {}): AppError =>
    unavailable('provider_rate_limited', `${provider} accepts no more requests at the moment.`, options),
};

type ModelFailureCode = Exclude<
  Extract<ErrorCode, `provider_${string}`>,
  'provider_name_taken' | 'provider_limit' | 'provider_unknown'
>;

/** What helps after a failure; `other_request`: only what was asked is concerned. */
const remedies = {
  provider_unreachable: 'wait',
  provider_timeout: 'wait',
  provider_rate_limited: 'wait',
  provider_paused: 'wait',
  provider_refused_key: 'administrator',
  provider_key_unreadable: 'administrator',
  provider_model_unknown: 'administrator',
  provider_context_exceeded: 'larger_model',
  provider_answer_invalid: 'other_request',
  provider_refused_request: 'other_request',
} as const satisfies Record<ModelFailureCode, string>;

/** @returns undefined for a code that is no failure of a language model. */
export function remedyOf(code: string): (typeof remedies)[ModelFailureCode] | undefined {
  return Object.hasOwn(remedies, code) ? remedies[code as ModelFailureCode] : undefined;
}

/** The failure that an error of the provider layer stands for. */
export function toModelFailure(error: unknown, provider: string): AppError {
  const refusal = refusalOf(error);
  if (refusal?.code.startsWith('provider_')) return refusal;
  const call = callErrorOf(error);
  if (call?.statusCode !== undefined) return failureOfStatus(call, call.statusCode, provider);
  if (refusal) return unavailable('provider_unreachable', refusal.message, { cause: error, permanent: true });
  // The connection worked, and what came over it is no answer.
  if (error instanceof Error && (/JSON|parse|validat/i.test(error.name) || /finish reason/.test(error.message)))
    return modelFailures.answerInvalid(provider, error.message);
  return unavailable('provider_unreachable', `${provider} cannot be reached.`, {
    cause: error,
    ...withDetail(rootMessageOf(error)),
  });
}

function failureOfStatus(call: APICallError, status: number, provider: string): AppError {
  const said = call.responseBody ?? call.message;
  const options = { cause: call, ...withDetail(said) };
  // The request was accepted, and what came back is no answer.
  if (status < 400) return modelFailures.answerInvalid(provider, said);
  if (status === 401 || status === 403)
    return unavailable('provider_refused_key', `${provider} refused the key.`, { ...options, permanent: true });
  if (status === 404)
    return unavailable('provider_model_unknown', `${provider} does not know the model or the address.`, {
      ...options,
      permanent: true,
    });
  if (status === 429) return modelFailures.rateLimited(provider, { ...options, ...retryAfterOf(call.responseHeaders) });
  if (status === 413 || (status === 400 && contextPattern.test(said)))
    return modelFailures.contextExceeded(provider, said);
  if (status >= 500 || status === 408)
    return unavailable('provider_unreachable', `${provider} reports a failure of its own (${status}).`, {
      ...options,
      ...retryAfterOf(call.responseHeaders),
    });
  return unavailable('provider_refused_request', `${provider} refused the request (${status}).`, {
    ...options,
    permanent: true,
  });
}

/** RFC 9110, 10.2.3: seconds or a date. */
function retryAfterOf(headers: Record<string, string> | undefined): ErrorOptions {
  const given = headers?.['retry-after'];
  if (given === undefined) return {};
  const seconds = /^\d+(\.\d+)?$/.test(given) ? Number(given) : (Date.parse(given) - Date.now()) / 1_000;
  if (!Number.isFinite(seconds)) return {};
  return { retryAfterSeconds: Math.min(maxRetryAfterSeconds, Math.max(0, seconds)) };
}

function callErrorOf(error: unknown): APICallError | undefined {
  for (let current = error; current instanceof Error; current = current.cause)
    if (APICallError.isInstance(current)) return current;
  return undefined;
}

/** The message of the first cause: fetch only says that it failed. Several attempts to connect have only a code. */
function rootMessageOf(error: unknown): string {
  const { cause, message, code } = Object(error) as { cause?: unknown; message?: string; code?: string };
  if (cause !== undefined && cause !== null) return rootMessageOf(cause);
  return message || code || String(error);
}

/** Servers repeat parts of a request in their errors: only the beginning, without control characters. */
function withDetail(text: string | undefined): ErrorOptions {
  return text === undefined ? {} : { detail: text.replaceAll(/\p{Cc}+/gu, ' ').slice(0, maxDetail) };
}
