import type { Claims, LegacyAdmin } from '../mappings/mappings.ts';

/** A person whom a directory, provider, certificate authority or proxy has authenticated and admitted. */
export type Assertion = {
  source: 'ldap' | 'oidc' | 'pki' | 'proxy';
  /**
   * The permanent identity at the source: the immutable id of the directory (empty where it has none), issuer and subject
   * of the token or of the certificate, the user name of the proxy.
   */
  subject: { issuer: string | null; id: string };
  login: string;
  email: string | null;
  /** Further addresses of the person: the one of the account stays while it is among them. */
  otherEmails?: readonly string[];
  /**
   * For a new account whose source asserts no address: addresses that receive no mail, of which the first free one is
   * taken. They never replace the address of an account.
   */
  placeholderEmails?: readonly string[];
  /** The source vouches for the address (specification, "Authentication" 6). */
  emailVerified: boolean;
  name: string;
  claims: Claims;
  legacyAdmin: LegacyAdmin;
  /** Recorded with the sign-in: what the source did not assert. */
  warning?: Record<string, string>;
  /** Further details for the audit record of the sign-in. */
  auditDetails?: Readonly<Record<string, string>>;
};

const address = /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u;

/** The address that a source asserts; null when it is not a valid address. */
export function emailOf({ email }: Assertion): string | null {
  const trimmed = email?.trim() ?? '';
  return trimmed.length <= 320 && address.test(trimmed) ? trimmed : null;
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

/** The display name. */
export function nameOf({ name }: Assertion, email: string): string {
  return line(name, 200) || (email.split('@')[0] ?? email);
}

/** External text on one line, without control characters and with a limited length. */
function line(text: string, max: number): string {
  return text
    .toWellFormed()
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, max);
}
