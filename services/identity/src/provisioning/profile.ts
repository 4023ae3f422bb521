import type { Known } from './identity-of.ts';
import type { Assertion } from './assertion.ts';

const address = /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u;

/** The address a source asserts; null when it is none that mail could be sent to. */
export const emailOf = ({ email }: Assertion): string | null => {
  const trimmed = email?.trim() ?? '';
  return trimmed.length <= 320 && address.test(trimmed) ? trimmed : null;
};

/** Foreign text on one line, without control characters and not long. */
const line = (text: string, max: number): string =>
  text
    .toWellFormed()
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, max);

/** The login as a record names it. */
export const loginOf = ({ login }: Assertion): string => line(login, 320);

/** An entry of an index holds 2,700 bytes; issuer and subject are in one. */
const longestIdentity = 1_200;

/** Whether login and identity can be kept and found again exactly as they are. */
export const isNameable = ({ login, subject }: Assertion): boolean =>
  [login, subject.id, subject.issuer ?? ''].every(
    (name) => name.isWellFormed() && !name.includes('\0') && Buffer.byteLength(name) <= longestIdentity,
  ) && login.trim() !== '';

/** A name is text from elsewhere: one line, no control characters, not long. */
export const nameOf = ({ name }: Assertion, email: string): string =>
  name
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, 200) ||
  (email.split('@')[0] ?? email);

type Profile = Pick<Known, 'email' | 'fullName' | 'ldapUid' | 'assertedEmail' | 'authType'>;
type ProfileChange = { fullName?: string; email?: string; ldapUid?: string; assertedEmail?: string };

/**
 * The address of an account follows its source. A certificate is the exception: it repeats the same address for years, so
 * only an address that it did not name before replaces the one of the account.
 */
const emailChange = (user: Profile, a: Assertion): ProfileChange => {
  const email = emailOf(a);
  const change = email && email !== user.email ? { email } : {};
  if (a.source !== 'pki' || !email) return change;
  if (email === user.assertedEmail) return {};
  const isFollowed = user.assertedEmail !== null || a.placeholderEmails?.includes(user.email) === true;
  return { assertedEmail: email, ...(isFollowed ? change : {}) };
};

/** What a source asserts of an account's owner that differs from the account; empty when nothing does. */
export const newsOf = (user: Profile, a: Assertion): ProfileChange => {
  // An administrator linked the certificate to an account that has its name and address from elsewhere.
  if (a.source === 'pki' && user.authType !== 'pki') return {};
  const fullName = a.name ? nameOf(a, emailOf(a) ?? user.email) : user.fullName;
  const ldapUid = a.source === 'ldap' ? a.login : user.ldapUid;
  return {
    ...(fullName === user.fullName ? {} : { fullName }),
    ...emailChange(user, a),
    ...(ldapUid && ldapUid !== user.ldapUid ? { ldapUid } : {}),
  };
};
