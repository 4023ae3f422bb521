import { msg, t } from '@lingui/core/macro';
import type { ResponseBody } from '@overtone/client';
import { translateOnRead } from '../lib/language.ts';

export type Account = ResponseBody<'GET /api/users/{uuid}'>;

export const roleNames: Record<Account['role'], string> = translateOnRead({
  user: msg`User`,
  admin: msg`Administrator`,
  super_admin: msg`Super administrator`,
});
/** The sign-in source of an account. */
export const originNames: Record<Account['auth_type'], string> = translateOnRead({
  local: msg`Local`,
  ldap: msg`Directory (LDAP)`,
  oidc: msg`Identity provider (OIDC)`,
  pki: msg`Certificate (PKI)`,
  proxy: msg`Trusted header`,
});
/** The same, short enough for a badge. */
export const originBadges: Record<string, string> = translateOnRead({
  local: msg`Local`,
  ldap: 'LDAP',
  oidc: 'OIDC',
  pki: 'PKI',
  proxy: msg`Header`,
  manual: msg`Added manually`,
});

export type ColoredLabel = { readonly label: string; readonly color: 'petrol' | 'red' | 'yellow' | 'gray' };
/** The status of an account: the first one that prevents sign-in, otherwise active. */
export function accountStatusOf(account: Account, now: Date = new Date()): ColoredLabel {
  if (!account.is_active)
    return { label: account.disabled_by === 'directory' ? t`disabled by directory` : t`disabled`, color: 'red' };
  if (account.approval_status === 'pending') return { label: t`awaiting approval`, color: 'yellow' };
  if (account.approval_status === 'rejected') return { label: t`rejected`, color: 'red' };
  if (account.account_expires_at !== null && new Date(account.account_expires_at) <= now)
    return { label: t`expired`, color: 'red' };
  if (account.locked_until !== null && new Date(account.locked_until) > now)
    return { label: t`locked`, color: 'yellow' };
  return { label: t`active`, color: 'petrol' };
}

/** The name of a person, or the address of a person without a name. */
export function nameOf(account: { full_name: string; email: string }): string {
  return account.full_name || account.email;
}
