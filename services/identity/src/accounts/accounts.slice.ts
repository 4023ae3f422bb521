import { identityRpc, identityRoutes, userRoutes, type UserObject } from '@overtone/contracts';
import { rpc, type Slice, clientOf, handle, type Route } from '@overtone/service-kit';
import { createAccounts, type Accounts } from './accounts.service.ts';
import { createFirstAdmin } from './first-admin.ts';
import { createRegistration, type Registration } from './registration.service.ts';
import type { User } from '../generated/client.ts';
import { toPasswordPolicy } from '../passwords/passwords.ts';
import type { Settings } from '../live-settings.ts';
import { toUserObject } from './accounts.ts';

type Deps = Parameters<typeof createAccounts>[0] &
  Parameters<typeof createRegistration>[0] &
  Parameters<typeof createFirstAdmin>[0] & {
    env: { OT_ADMIN_EMAIL?: string | undefined; OT_ADMIN_PASSWORD?: string | undefined };
  };

/** People and their own account: profile, password, registration; and the first administrator. */
export function createAccountsSlice(deps: Deps): Slice {
  const accounts = createAccounts(deps);
  const { settings, env } = deps;
  return {
    parts: [
      {
        name: 'first administrator',
        start: () => createFirstAdmin(deps, { email: env.OT_ADMIN_EMAIL, password: env.OT_ADMIN_PASSWORD }),
        stop: async () => {},
      },
    ],
    routes: accountsRoutes({ accounts, registration: createRegistration(deps), settings }),
    rpcs: [
      rpc(identityRpc.names, async ({ userIds }) => ({ users: await accounts.names(userIds) })),
      rpc(identityRpc.findAccounts, async ({ names }) => ({ accounts: await accounts.find(names) })),
    ],
  };
}

type Parts = { accounts: Accounts; registration: Registration; settings: Settings };

function accountsRoutes({ accounts, registration, settings }: Parts): Route[] {
  const shown = (user: User): UserObject => ({
    ...toUserObject(user),
    must_change_password: accounts.mustChangePassword(user),
  });
  return [
    handle(identityRoutes.me, async (request) => shown(await accounts.me(request.caller.userId))),
    handle(identityRoutes.updateMe, async (request) => {
      const { full_name: fullName, current_password: currentPassword, password } = request.body;
      return shown(await accounts.change(request.caller, { fullName, currentPassword, password }, clientOf(request)));
    }),
    handle(userRoutes.register, async (request) => {
      const { email, password, full_name: fullName } = request.body;
      await registration.register({ email, password, fullName }, clientOf(request));
      return {
        message: 'If this address is new, your account has been created. It may need approval.',
      };
    }),
    handle(userRoutes.passwordPolicy, async () => toPasswordPolicy(settings.current())),
  ];
}
