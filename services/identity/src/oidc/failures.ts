import type { AuditErrorCode } from '../audit/audit.ts';
import type { ProviderFailure } from './provider.ts';

type ErrorLike = {
  code?: unknown;
  error?: unknown;
  message?: unknown;
  name?: unknown;
  cause?: unknown;
  claim?: unknown;
};

const unreachable = /fetch failure|ECONN|ENOTFOUND|EAI_AGAIN|socket|terminated|other side closed/i;

const reasons: [RegExp, string][] = [
  [/signature/i, 'signature'],
  [/no applicable keys|multiple applicable keys/i, 'key'],
  [/"alg"|algorithm/i, 'alg'],
  [/"crit"/, 'crit'],
  [/JWE|decrypt/i, 'encrypted'],
  [/JWT "(\w+)"|ID Token "(\w+)"/, '$claim'],
];

/** An invalid member in the response of the token endpoint. */
const invalidMember = /"response" body "(\w+)" property|`(token_type)`/;

/**
 * The reason of a failed sign-in at the provider, for administrators. The sign-in is refused in any case.
 * @param hasToken whether the provider sent an ID token.
 */
export function failureOf(cause: unknown, hasToken: boolean, fallbackCode?: AuditErrorCode): ProviderFailure {
  const errors = chain(cause);
  const failure = (errorCode: AuditErrorCode, reason: string): ProviderFailure => ({
    ok: false,
    errorCode,
    reason,
    cause,
  });
  const connectionFault = connectionFaultOf(errors);
  if (connectionFault) return failure('PROVIDER_UNAVAILABLE', connectionFault);
  if (fallbackCode)
    return failure(
      fallbackCode,
      errors.map((error) => word(error.message) ?? word(error.code)).find(Boolean) ?? 'malformed',
    );
  return hasToken && !invalidMemberOf(errors)
    ? failure('INVALID_TOKEN', reasonOfToken(errors))
    : failure('TOKEN_EXCHANGE_FAILED', reasonOfExchange(errors));
}

/** An error and its causes, outermost first. */
function chain(value: unknown): ErrorLike[] {
  const out: ErrorLike[] = [];
  for (let at = value; isObject(at) && out.length < 6; at = at.cause) out.push(at);
  return out;
}

function connectionFaultOf(errors: readonly ErrorLike[]): string | undefined {
  if (errors.some((error) => error.name === 'TimeoutError' || error.name === 'AbortError')) return 'timeout';
  const texts = errors.map((error) => `${String(error.code)} ${String(error.message)}`).join(' ');
  if (texts.includes('provider_answer_too_large')) return 'too_large';
  return unreachable.test(texts) ? 'unreachable' : undefined;
}

function word(text: unknown): string | undefined {
  return typeof text === 'string' && /^[\w.-]{1,60}$/.test(text) ? text : undefined;
}

function invalidMemberOf(errors: readonly ErrorLike[]): string | undefined {
  return errors.map((error) => invalidMember.exec(String(error.message))?.slice(1).find(Boolean)).find(Boolean);
}

function reasonOfToken(errors: readonly ErrorLike[]): string {
  for (const error of errors) {
    const claim = word(error.claim);
    if (claim) return claim;
    const text = typeof error.message === 'string' ? error.message : '';
    const hit = reasons.find(([pattern]) => pattern.test(text));
    if (hit?.[1] === '$claim') return hit[0].exec(text)?.slice(1).find(Boolean) ?? 'claim';
    if (hit) return hit[1];
  }
  return 'malformed';
}

function reasonOfExchange(errors: readonly ErrorLike[]): string {
  for (const token of errors) {
    const error = word(token.error);
    if (error) return error;
  }
  const wrong = invalidMemberOf(errors);
  if (wrong) return wrong;
  const text = errors.map((error) => String(error.message)).join(' ');
  if (/status code/.test(text)) return 'status';
  if (/content-type/.test(text)) return 'content_type';
  if (/authorization code/.test(text)) return 'no_code';
  return 'malformed';
}

function isObject(value: unknown): value is ErrorLike {
  return typeof value === 'object' && value !== null;
}
