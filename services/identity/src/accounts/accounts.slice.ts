import { identityRpc } from '@overtone/contracts';
import { rpc, type Slice } from '@overtone/service-kit';
import { accountsRoutes } from './accounts.routes.ts';
import { createAccounts } from './accounts.service.ts';
import { createFirstAdmin } from './first-admin.ts';
import { createRegistration } from './registration.service.ts';

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
