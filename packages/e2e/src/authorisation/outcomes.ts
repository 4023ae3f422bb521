/** Who asks. */
export const roles = ['none', 'user', 'admin', 'super_admin'] as const;
export type Asker = (typeof roles)[number];

/** What came of asking, told apart by status and code: only refusals for want of rights have a word of their own. */
export type Outcome = 'allowed' | 'not signed in' | 'forbidden' | 'hidden' | 'own account';

/** One letter for each role in the order above: `saaa` asks to sign in and lets everybody else. */
export type Letters = string;
const words: Record<string, Outcome> = {
  a: 'allowed',
  s: 'not signed in',
  f: 'forbidden',
  h: 'hidden',
  o: 'own account',
};
/** @returns undefined for `-`: there is no such case. */
export const expectedFor = (letters: Letters, asker: Asker): Outcome | undefined =>
  words[letters[roles.indexOf(asker)] ?? ''];

const codes: Record<string, Outcome> = {
  not_authenticated: 'not signed in',
  role_required: 'forbidden',
  account_out_of_reach: 'forbidden',
  permission_required: 'forbidden',
  not_found: 'hidden',
  own_account: 'own account',
};
/** A body that does not fit says nothing of rights: the table must send a better one. */
const sloppy = new Set(['invalid_body', 'invalid_request', 'malformed_json', 'unsupported_media_type', 'rate_limited']);
const bare: Record<number, Outcome> = { 401: 'not signed in', 403: 'forbidden', 404: 'hidden' };

type Answer = { status: number; code: string | undefined };

/** @param anyBody the route reads its body itself: that it did not like it means that it was asked. */
export const outcomeOf = ({ status, code }: Answer, anyBody: boolean): string => {
  if (status >= 500 && status !== 503) return `answered ${status}`;
  if (code === undefined) return bare[status] ?? 'allowed';
  if (sloppy.has(code) && !anyBody) return `answered ${status} ${code}`;
  return codes[code] ?? 'allowed';
};
