import type { AuditErrorCode } from '../audit/audit.ts';
import type { Failed } from './provider.ts';

type ErrorLike = {
  code?: unknown;
  error?: unknown;
  message?: unknown;
  name?: unknown;
  cause?: unknown;
  claim?: unknown;
};
const isObject = (e: unknown): e is ErrorLike => typeof e === 'object' && e !== null;

/** An error and what it was caused by, outermost first. */
const chain = (e: unknown): ErrorLike[] => {
  const out: ErrorLike[] = [];
  for (let at = e; isObject(at) && out.length < 6; at = at.cause) out.push(at);
  return out;
};

const word = (text: unknown): string | undefined =>
  typeof text === 'string' && /^[\w.-]{1,60}$/.test(text) ? text : undefined;

const unreachable = /fetch failed|ECONN|ENOTFOUND|EAI_AGAIN|socket|terminated|other side closed/i;

const reasons: [RegExp, string][] = [
  [/signature/i, 'signature'],
  [/no applicable keys|multiple applicable keys/i, 'key'],
  [/"alg"|algorithm/i, 'alg'],
  [/"crit"/, 'crit'],
  [/JWE|decrypt/i, 'encrypted'],
  [/JWT "(\w+)"|ID Token "(\w+)"/, '$claim'],
];

const reasonOfToken = (errors: readonly ErrorLike[]): string => {
  for (const t of errors) {
    const claim = word(t.claim);
    if (claim) return claim;
    const text = typeof t.message === 'string' ? t.message : '';
    const hit = reasons.find(([pattern]) => pattern.test(text));
    if (hit?.[1] === '$claim') return hit[0].exec(text)?.slice(1).find(Boolean) ?? 'claim';
    if (hit) return hit[1];
  }
  return 'malformed';
};

/** A member of the token endpoint's answer that is not as it must be. */
const member = /"response" body "(\w+)" property|`(token_type)`/;
const memberOf = (errors: readonly ErrorLike[]): string | undefined =>
  errors.map((t) => member.exec(String(t.message))?.slice(1).find(Boolean)).find(Boolean);

const reasonOfExchange = (errors: readonly ErrorLike[]): string => {
  for (const t of errors) {
    const error = word(t.error);
    if (error) return error;
  }
  const wrong = memberOf(errors);
  if (wrong) return wrong;
  const text = errors.map((t) => String(t.message)).join(' ');
  if (/status code/.test(text)) return 'status';
  if (/content-type/.test(text)) return 'content_type';
  if (/authorization code/.test(text)) return 'no_code';
  return 'malformed';
};

const connection = (errors: readonly ErrorLike[]): string | undefined => {
  if (errors.some((t) => t.name === 'TimeoutError' || t.name === 'AbortError')) return 'timeout';
  const texts = errors.map((t) => `${String(t.code)} ${String(t.message)}`).join(' ');
  if (texts.includes('provider_answer_too_large')) return 'too_large';
  return unreachable.test(texts) ? 'unreachable' : undefined;
};

/**
 * Words for an administrator of what went wrong at the provider. Decides nothing: whatever ends here is refused.
 * @param tokenCame whether there was an ID token to find fault with.
 */
export const failureOf = (cause: unknown, tokenCame: boolean, otherwise?: AuditErrorCode): Failed => {
  const errors = chain(cause);
  const failed = (errorCode: AuditErrorCode, reason: string): Failed => ({ ok: false, errorCode, reason, cause });
  const lost = connection(errors);
  if (lost) return failed('PROVIDER_UNAVAILABLE', lost);
  if (otherwise)
    return failed(otherwise, errors.map((t) => word(t.message) ?? word(t.code)).find(Boolean) ?? 'malformed');
  return tokenCame && !memberOf(errors)
    ? failed('INVALID_TOKEN', reasonOfToken(errors))
    : failed('TOKEN_EXCHANGE_FAILED', reasonOfExchange(errors));
};
