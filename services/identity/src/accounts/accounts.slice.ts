import { identityRpc } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { rpc, type Log, type Slice } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import type { Settings } from '../live-settings.ts';
import type { Lockout } from '../lockout/lockout.ts';
import type { NewPasswords, PasswordHasher } from '../passwords/passwords.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Telemetry } from '../telemetry.ts';
import { accountsRoutes } from './accounts.routes.ts';
import { createAccounts } from './accounts.service.ts';
import { createFirstAdmin } from './first-admin.ts';
import { createRegistration } from './registration.service.ts';

type Deps = {
  db: Db;
  outbox: Outbox;
  log: Log;
  telemetry: Telemetry;
  settings: Settings;
  hasher: PasswordHasher;
  newPasswords: NewPasswords;
  lockout: Lockout;
  sessions: Sessions;
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
    rpcs: [rpc(identityRpc.names, async ({ userIds }) => ({ users: await accounts.names(userIds) }))],
  };
}
