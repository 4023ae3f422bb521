import type { User } from '../../api/queries.ts';
import type { Account } from '../words.ts';

/** What one may do with an account; the service decides, this only keeps useless buttons away. */
export type Reach = {
  readonly self: boolean;
  readonly edit: boolean;
  /** Link a certificate: it signs in with the rights of the account. */
  readonly certificate: boolean;
  readonly role: boolean;
  readonly resetPassword: boolean;
  /** Why something is missing, in one sentence; null: nothing is. */
  readonly why: string | null;
};
const rank = { user: 0, admin: 1, super_admin: 2 } as const;

export const reachOf = (me: User, account: Account): Reach => {
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
    why: whyOf(self, above, account),
  };
};

const whyOf = (self: boolean, above: boolean, { auth_type: origin }: Account): string | null => {
  if (self) return 'This is your own account: change your name and password under “Account and sessions”.';
  if (above) return 'This account is above your role, so you can look at it, but not change it.';
  if (origin === 'ldap')
    return 'This account comes from the directory: its password and whether it may sign in are decided there.';
  return origin === 'local' ? null : 'This account signs in elsewhere: its password is kept there.';
};
