import type { Account } from './identity-of.ts';
import type { Assertion } from './assertion.ts';

const address = /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u;

/** The address that a source asserts; null when it is not a valid address. */
export function emailOf({ email }: Assertion): string | null {
  const trimmed = email?.trim() ?? '';
  return trimmed.length <= 320 && address.test(trimmed) ? trimmed : null;
}

/** External text on one line, without control characters and with a limited length. */
function line(text: string, max: number): string {
  return text
    .toWellFormed()
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, max);
}

/** The login for an audit record. */
export function loginOf({ login }: Assertion): string {
  return line(login, 320);
}

/** Issuer and subject are in one index entry, which holds 2,700 bytes. */
const maxIdentityBytes = 1_200;

/** Whether login and identity can be stored and found again unchanged. */
export function isNameable({ login, subject }: Assertion): boolean {
  return (
    [login, subject.id, subject.issuer ?? ''].every(
      (name) => name.isWellFormed() && !name.includes('\0') && Buffer.byteLength(name) <= maxIdentityBytes,
    ) && login.trim() !== ''
  );
}

/** The display name, on one line, without control characters and with a limited length. */
export function nameOf({ name }: Assertion, email: string): string {
  return (
    name
      .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
      .trim()
      .slice(0, 200) ||
    (email.split('@')[0] ?? email)
  );
}

type Profile = Pick<Account, 'email' | 'fullName' | 'ldapUid' | 'assertedEmail' | 'authType'>;
type ProfileChange = { fullName?: string; email?: string; ldapUid?: string; assertedEmail?: string };

/**
 * The address of an account follows its source. A certificate is the exception: it repeats the same address for years, so
 * only an address that it did not name before replaces the one of the account.
 */
function emailChange(user: Profile, assertion: Assertion): ProfileChange {
  const email = emailOf(assertion);
  const change = email && email !== user.email ? { email } : {};
  if (assertion.source !== 'pki' || !email) return change;
  if (email === user.assertedEmail) return {};
  const isFollowed = user.assertedEmail !== null || assertion.placeholderEmails?.includes(user.email) === true;
  return { assertedEmail: email, ...(isFollowed ? change : {}) };
}

/** The differences between an account and what its source asserts. */
export function profileChangesOf(user: Profile, assertion: Assertion): ProfileChange {
  // A certificate linked by an administrator does not change the name and address of the account.
  if (assertion.source === 'pki' && user.authType !== 'pki') return {};
  const fullName = assertion.name ? nameOf(assertion, emailOf(assertion) ?? user.email) : user.fullName;
  const ldapUid = assertion.source === 'ldap' ? assertion.login : user.ldapUid;
  return {
    ...(fullName === user.fullName ? {} : { fullName }),
    ...emailChange(user, assertion),
    ...(ldapUid && ldapUid !== user.ldapUid ? { ldapUid } : {}),
  };
}
