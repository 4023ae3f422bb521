/** The roles of a caller; `none`: not signed in. */
export const roles = ['none', 'user', 'admin', 'super_admin'] as const;
export type CallerRole = (typeof roles)[number];

/** The outcome of a request by status and error code; every response except a missing permission is `allowed`. */
export type Outcome = 'allowed' | 'not signed in' | 'forbidden' | 'hidden' | 'own account';

/** One letter for each role in the order above: `saaa` rejects anonymous callers and allows all others. */
export type Letters = string;
const outcomeOfLetter: Record<string, Outcome> = {
  a: 'allowed',
  s: 'not signed in',
  f: 'forbidden',
  h: 'hidden',
  o: 'own account',
};
/** @returns undefined for `-`: there is no such case. */
export function expectedFor(letters: Letters, callerRole: CallerRole): Outcome | undefined {
  return outcomeOfLetter[letters[roles.indexOf(callerRole)] ?? ''];
}

const outcomeOfCode: Record<string, Outcome> = {
  not_authenticated: 'not signed in',
  role_required: 'forbidden',
  account_out_of_reach: 'forbidden',
  permission_required: 'forbidden',
  not_found: 'hidden',
  own_account: 'own account',
};
/** Errors that precede the permission check: the table must define a valid request. */
const invalidRequestCodes = new Set([
  'invalid_body',
  'invalid_request',
  'malformed_json',
  'unsupported_media_type',
  'rate_limited',
]);
const outcomeOfStatus: Record<number, Outcome> = { 401: 'not signed in', 403: 'forbidden', 404: 'hidden' };

type Answer = { status: number; code: string | undefined };

/** @param acceptsAnyBody the route reads its body itself, so an invalid body proves that the caller was allowed. */
export function outcomeOf({ status, code }: Answer, acceptsAnyBody: boolean): string {
  if (status >= 500 && status !== 503) return `answered ${status}`;
  if (code === undefined) return outcomeOfStatus[status] ?? 'allowed';
  if (invalidRequestCodes.has(code) && !acceptsAnyBody) return `answered ${status} ${code}`;
  return outcomeOfCode[code] ?? 'allowed';
}
