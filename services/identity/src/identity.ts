import { createEventDatabase } from '@overtone/database';
import { createService, createServiceBase, type Service } from '@overtone/service-kit';
import { createAccountsSlice } from './accounts/accounts.slice.ts';
import { createApprovalsSlice } from './approvals/approvals.slice.ts';
import { createAuditSlice } from './audit/audit.slice.ts';
import { createCurrentDirectory } from './directory/directory.service.ts';
import type { IdentityEnv } from './env.ts';
import { createExplanationSlice } from './explanation/explanation.slice.ts';
import { PrismaClient } from './generated/client.ts';
import { createGroupsSlice } from './groups/groups.slice.ts';
import { createLockoutSlice } from './lockout/lockout.slice.ts';
import { createMappingsSlice } from './mappings/mappings.slice.ts';
import { diagnoseProvider } from './oidc/diagnosis.adapter.ts';
import { namesAdmin } from './oidc/oidc.ts';
import { createOidcSlice } from './oidc/oidc.slice.ts';
import { createArgon2 } from './passwords/argon2.adapter.ts';
import { createNewPasswords } from './passwords/new-passwords.service.ts';
import { fetchRevocationLists as tryRevocationList } from './pki/crl.adapter.ts';
import { diagnosePki } from './pki/diagnosis.ts';
import { createPkiSlice } from './pki/pki.slice.ts';
import { createProvisioning } from './provisioning/provisioning.service.ts';
import { createRefusals } from './provisioning/refusals.ts';
import { createSessionsSlice } from './sessions/sessions.slice.ts';
import { createSettings } from './settings/settings.service.ts';
import { createSettingsSlice } from './settings/settings.slice.ts';
import { createSignInSlice } from './sign-in/sign-in.slice.ts';
import { createSweepSlice } from './sweep/sweep.slice.ts';
import { createTelemetry } from './telemetry.ts';
import { createTrustedHeaderSlice } from './trusted-header/trusted-header.slice.ts';
import { createUsersSlice } from './users/users.slice.ts';

/** Identity: accounts, sign-in, sessions and rights. */
export function createIdentity(env: IdentityEnv): Service {
  const base = createServiceBase('identity', env);
  const database = createEventDatabase(base, (adapter) => new PrismaClient({ adapter }));
  const { db, pool, outbox } = database;
  const telemetry = createTelemetry(base.metrics);
  const settings = createSettings({ ...base, db });
  const common = { ...base, db, pool, outbox, telemetry, settings };

  const directory = createCurrentDirectory({ ...common, caFile: env.LDAP_TLS_CA_FILE });
  const hasher = createArgon2();
  const newPasswords = createNewPasswords({ db, hasher, settings });
  const lockout = createLockoutSlice(common);
  const sessions = createSessionsSlice(common);
  const shared = { ...common, directory, hasher, newPasswords, lockout: lockout.lockout, sessions: sessions.sessions };
  const groups = createGroupsSlice(shared);
  const mappings = createMappingsSlice({ ...shared, memberships: groups.memberships, namesOidcAdmin: namesAdmin });
  const { ldapMappings, ldapIndex } = mappings;
  const provisioning = createProvisioning({ ...shared, mappings: mappings.mappings });
  const signIn = { ...shared, provisioning, refuse: createRefusals({ db }) };

  return createService({
    ...base,
    slices: [
      database.slice,
      database.relay,
      settings,
      createSignInSlice(signIn),
      createOidcSlice(signIn),
      createPkiSlice(signIn),
      createTrustedHeaderSlice(signIn),
      sessions,
      createAccountsSlice(shared),
      createUsersSlice(shared),
      createApprovalsSlice(shared),
      createAuditSlice(shared),
      createExplanationSlice({ ...shared, ldapMappings, ldapIndex }),
      groups,
      mappings,
      createSettingsSlice({ ...shared, diagnoseProvider, diagnosePki, tryRevocationList }),
      createSweepSlice({ ...shared, ldapMappings }),
      lockout,
      { parts: [directory.part] },
    ],
  });
}
