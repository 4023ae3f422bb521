import type { Assertion } from './provisioning.ts';

const address = /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u;

/** The address a source asserts; null when it is none that mail could be sent to. */
export const emailOf = ({ email }: Assertion): string | null => {
  const trimmed = email?.trim() ?? '';
  return trimmed.length <= 320 && address.test(trimmed) ? trimmed : null;
};

/** A name is text from elsewhere: one line, no control characters, not long. */
export const nameOf = ({ name }: Assertion, email: string): string =>
  name
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, 200) ||
  (email.split('@')[0] ?? email);
