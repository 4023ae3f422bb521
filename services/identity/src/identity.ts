import { createEventDatabase } from '@overtone/database';
import { createService, createServiceBase, type Service } from '@overtone/service-kit';
import { createArgon2 } from '@overtone/service-kit/argon2';
import { createAccountsSlice } from './accounts/accounts.slice.ts';
import { createApprovalsSlice } from './approvals/approvals.slice.ts';
import { createAuditSlice } from './audit/audit.slice.ts';
import { createCurrentDirectory } from './directory/directory.service.ts';
import type { IdentityEnv } from './env.ts';
import { createErasureSlice } from './erasure/erasure.slice.ts';
import { createExplanationSlice } from './explanation/explanation.slice.ts';
import { PrismaClient } from './generated/client.ts';
import { createGroupsSlice } from './groups/groups.slice.ts';
import { createInvitationsSlice } from './invitations/invitations.slice.ts';
import { createLockoutSlice } from './lockout/lockout.slice.ts';
import { createMappingsSlice } from './mappings/mappings.slice.ts';
import { namesAdmin } from './oidc/oidc.ts';
import { createNotificationsSlice } from './notifications/notifications.slice.ts';
import { createNewPasswords } from './passwords/new-passwords.service.ts';
import { createSessionsSlice } from './sessions/sessions.slice.ts';
import { createSettings } from './settings/settings.service.ts';
import { createSettingsSlice } from './settings/settings.slice.ts';
import { createSignInMethods, serverTests } from './sign-in-methods.ts';
import { createSyncSlice } from './sync/sync.slice.ts';
import { createTelemetry } from './telemetry.ts';
import { createUsersSlice } from './users/users.slice.ts';

/** Identity: accounts, sign-in, sessions and rights. */
export function createIdentity(env: IdentityEnv): Service {
  const base = createServiceBase('identity', env);
  const database = createEventDatabase(base, (options) => new PrismaClient(options));
  const settings = createSettings({ ...base, ...database });
  const common = { ...base, ...database, settings, telemetry: createTelemetry(base.metrics) };
  const directory = createCurrentDirectory({ ...common, caFile: env.LDAP_TLS_CA_FILE });
  const hasher = createArgon2();
  const newPasswords = createNewPasswords({ ...common, hasher });
  const lockout = createLockoutSlice(common);
  const sessions = createSessionsSlice(common);
  const shared = { ...common, directory, hasher, newPasswords, lockout: lockout.lockout, sessions: sessions.sessions };
  const groups = createGroupsSlice(shared);
  const mappings = createMappingsSlice({ ...shared, memberships: groups.memberships, namesOidcAdmin: namesAdmin });

  return createService({
    ...base,
    slices: [
      database.slice,
      database.relay,
      settings,
      ...createSignInMethods({ ...shared, mappings: mappings.mappings }),
      sessions,
      createAccountsSlice(shared),
      createUsersSlice(shared),
      createInvitationsSlice(shared),
      createApprovalsSlice(shared),
      createErasureSlice({ ...shared, keyRing: env.keyRing }),
      createAuditSlice(shared),
      createNotificationsSlice(shared),
      createExplanationSlice({ ...shared, ...mappings }),
      groups,
      mappings,
      createSettingsSlice({ ...shared, ...serverTests }),
      createSyncSlice({ ...shared, ...mappings }),
      lockout,
      { parts: [directory.part] },
    ],
  });
}
