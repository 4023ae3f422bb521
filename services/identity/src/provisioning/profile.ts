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

/** Whether login and identity can be kept and found again just as they are. */
export const isNameable = ({ login, subject }: Assertion): boolean =>
  [login, subject.id, subject.issuer ?? ''].every((s) => s.isWellFormed() && !s.includes('\0') && s.length <= 1024) &&
  login.trim() !== '';

/** A name is text from elsewhere: one line, no control characters, not long. */
export const nameOf = ({ name }: Assertion, email: string): string =>
  name
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, 200) ||
  (email.split('@')[0] ?? email);

/** What a source says of an account's owner that is not what the account says; empty when it all is. */
export const newsOf = (
  user: Pick<Known, 'email' | 'fullName' | 'ldapUid'>,
  a: Assertion,
): { fullName?: string; email?: string; ldapUid?: string } => {
  const email = emailOf(a);
  const fullName = a.name ? nameOf(a, email ?? user.email) : user.fullName;
  const ldapUid = a.source === 'ldap' ? a.login : user.ldapUid;
  return {
    ...(fullName === user.fullName ? {} : { fullName }),
    ...(email && email !== user.email && user.email !== a.spareEmail ? { email } : {}),
    ...(ldapUid && ldapUid !== user.ldapUid ? { ldapUid } : {}),
  };
};
