import type { IdentityAnswer } from '../api/identity.ts';

export type Account = IdentityAnswer<'user'>;

export const roleNames: Record<Account['role'], string> = {
  user: 'User',
  admin: 'Administrator',
  super_admin: 'Super administrator',
};
/** Where an account comes from. */
export const originNames: Record<Account['auth_type'], string> = {
  local: 'Local',
  ldap: 'Directory (LDAP)',
  oidc: 'Identity provider (OIDC)',
  pki: 'Certificate (PKI)',
  proxy: 'Trusted header',
};
/** The same in two or three words, for badges. */
export const originBadges: Record<string, string> = {
  local: 'Local',
  ldap: 'LDAP',
  oidc: 'OIDC',
  pki: 'PKI',
  proxy: 'Header',
  manual: 'by hand',
};

export type Standing = { readonly words: string; readonly color: 'petrol' | 'red' | 'yellow' | 'gray' };
/** What state an account is in; the first that keeps its owner out. */
export const standingOf = (account: Account, now: Date = new Date()): Standing => {
  if (!account.is_active)
    return { words: account.disabled_by === 'directory' ? 'disabled by directory' : 'disabled', color: 'red' };
  if (account.approval_status === 'pending') return { words: 'waits for approval', color: 'yellow' };
  if (account.approval_status === 'rejected') return { words: 'rejected', color: 'red' };
  if (account.account_expires_at !== null && new Date(account.account_expires_at) <= now)
    return { words: 'expired', color: 'red' };
  if (account.locked_until !== null && new Date(account.locked_until) > now)
    return { words: 'locked', color: 'yellow' };
  return { words: 'active', color: 'petrol' };
};
/** A person's name, or the address where there is none. */
export const nameOf = (account: { full_name: string; email: string }): string => account.full_name || account.email;
