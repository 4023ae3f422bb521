import { t } from '@lingui/core/macro';
import type { User } from '../../api/queries.ts';
import type { Account } from '../../ui/account-labels.ts';

/** What the signed-in administrator may do with an account. The service decides; the page hides buttons that would fail. */
export type AccountPermissions = {
  readonly self: boolean;
  readonly edit: boolean;
  /** May link a certificate, which signs in with the rights of the account. */
  readonly certificate: boolean;
  readonly role: boolean;
  readonly resetPassword: boolean;
  /** Why an action is missing; null when none is. */
  readonly limitation: string | null;
};
const rank = { user: 0, admin: 1, super_admin: 2 } as const;

export function permissionsOf(me: User, account: Account): AccountPermissions {
  const self = me.uuid === account.uuid;
  const above = rank[account.role] > rank[me.role];
  const edit = !self && !above;
  const superAdmin = me.role === 'super_admin';
  return {
    self,
    edit,
    certificate: edit && (superAdmin || account.role === 'user'),
    role: edit && superAdmin,
    resetPassword: edit && (superAdmin || account.role === 'user') && account.auth_type === 'local',
    limitation: limitationOf(self, above, account),
  };
}

function limitationOf(self: boolean, above: boolean, { auth_type: origin }: Account): string | null {
  if (self) return t`This is your own account. Change your name and password under “Account and sessions”.`;
  if (above) return t`This account has a higher role than yours. You can view it, but not change it.`;
  if (origin === 'ldap') return t`This account comes from the directory, which manages its password and access.`;
  return origin === 'local' ? null : t`This account signs in through another service, which manages its password.`;
}
