import { createEventDatabase } from '@overtone/database';
import {
  createForwardedVerifier,
  createService,
  createServiceBase,
  periodic,
  type Part,
  type Service,
} from '@overtone/service-kit';
import { accountsRoutes, accountsRpc } from './accounts/accounts.routes.ts';
import { createAccounts } from './accounts/accounts.service.ts';
import { createFirstAdmin } from './accounts/first-admin.ts';
import { createRegistration } from './accounts/registration.service.ts';
import { approvalsRoutes } from './approvals/approvals.routes.ts';
import { createApprovals } from './approvals/approvals.service.ts';
import { createCurrentDirectory } from './directory/directory.service.ts';
import type { IdentityEnv } from './env.ts';
import { explanationApi } from './explanation/explanation.routes.ts';
import { createExplanations } from './explanation/explanation.service.ts';
import { PrismaClient } from './generated/client.ts';
import { groupsRoutes, groupsRpc } from './groups/groups.routes.ts';
import { createGroups } from './groups/groups.service.ts';
import { createMembers } from './groups/members.service.ts';
import { createMemberships } from './groups/memberships.service.ts';
import { createLockout } from './lockout/lockout.store.ts';
import { createCatalogue } from './mappings/catalogue.service.ts';
import { createDryRun } from './mappings/dry-run.service.ts';
import { createMappingIndexes } from './mappings/mapping-indexes.ts';
import { mappingsRoutes } from './mappings/mappings.routes.ts';
import { createMappings } from './mappings/mappings.service.ts';
import { mappingsStore } from './mappings/mappings.store.ts';
import { createCrlSource, fetchRevocationLists } from './pki/crl.adapter.ts';
import { diagnosePki } from './pki/diagnosis.ts';
import { pkiRoutes } from './pki/pki.routes.ts';
import { createRevocationLists } from './pki/revocation-lists.service.ts';
import { createRevocation } from './pki/revocation.ts';
import { createRefusals } from './provisioning/provisioning.ts';
import { createProvisioning } from './provisioning/provisioning.service.ts';
import { diagnoseProvider } from './oidc/diagnosis.adapter.ts';
import { createFlowCookies } from './oidc/flow.ts';
import { flowStore } from './oidc/flow.store.ts';
import { oidcRoutes } from './oidc/oidc.routes.ts';
import { createOidc } from './oidc/oidc.service.ts';
import { createProvider } from './oidc/provider.adapter.ts';
import { auditLogRoutes } from './audit/audit.routes.ts';
import { createAuditTrail } from './audit/audit-trail.service.ts';
import { recordFileActions } from './audit/record-file-actions.consumer.ts';
import { recordOperations } from './audit/record-operations.consumer.ts';
import { createArgon2 } from './passwords/argon2.adapter.ts';
import { createNewPasswords } from './passwords/new-passwords.service.ts';
import { createAccessTokens } from './sessions/access-tokens.ts';
import { createEndDates } from './sessions/end-dates.service.ts';
import { lifetimesOf } from './sessions/sessions.ts';
import { sessionsRoutes } from './sessions/sessions.routes.ts';
import { createSessionKeys } from './sessions/session-keys.ts';
import { sessionsRpc } from './sessions/sessions.rpc.ts';
import { createSessions } from './sessions/sessions.service.ts';
import { sessionsStore } from './sessions/sessions.store.ts';
import { createConnectionTest } from './settings/connection-test.service.ts';
import { createSettingChanges } from './settings/changes.service.ts';
import { createSettingsView } from './settings/settings.read-model.ts';
import { settingsRoutes } from './settings/settings.routes.ts';
import { createSettings } from './settings/settings.service.ts';
import { createSourceSessions } from './settings/source-sessions.service.ts';
import { createPace } from './sign-in/pace.ts';
import { signInRoutes } from './sign-in/sign-in.routes.ts';
import { createSignIn } from './sign-in/sign-in.service.ts';
import { sweepRpcs } from './sweep/sweep.rpc.ts';
import { createSweepRules } from './sweep/sweep-rules.ts';
import { createSweep } from './sweep/sweep.service.ts';
import { createTelemetry } from './telemetry.ts';
import { trustedHeaderRoutes } from './trusted-header/trusted-header.routes.ts';
import { createCertificateLinks } from './users/certificate.service.ts';
import { createPrivileges } from './users/privileges.service.ts';
import { usersRoutes } from './users/users.routes.ts';
import { createUsers } from './users/users.service.ts';

/** Identity: accounts, sign-in, sessions and rights. */
export function createIdentity(env: IdentityEnv): Service {
  const base = createServiceBase('identity', env);
  const { log, metrics, bus } = base;
  const telemetry = createTelemetry(metrics);
  const { db, pool, outbox, slice: database } = createEventDatabase(base, (adapter) => new PrismaClient({ adapter }));

  const { seeds: environment, keyRing } = env;
  const settings = createSettings({ db, bus, log, metrics, environment, keyRing });
  const settingsView = createSettingsView({ db, settings, environment });
  const tryRevocationList = fetchRevocationLists;
  const settingChanges = createSettingChanges({ db, outbox, settings, environment, keyRing, tryRevocationList });
  const caFile = env.LDAP_TLS_CA_FILE;
  const testConnection = createConnectionTest({
    db,
    settings,
    environment,
    caFile,
    diagnoseProvider,
    diagnosePki: (s) => diagnosePki(s, fetchRevocationLists),
  });
  const hasher = createArgon2();
  const lockout = createLockout({ db, pool, settings });
  const accessTokens = createAccessTokens({
    secret: env.JWT_SECRET_KEY,
    lifetimeSeconds: () => lifetimesOf(settings.current()).accessSeconds,
  });
  const keys = createSessionKeys(env.JWT_SECRET_KEY);
  const sessions = createSessions({ db, pool, outbox, accessTokens, keys, settings, log });
  const sourceSessions = createSourceSessions({ db, settings, sessions });
  const endDates = createEndDates({ db, pool, sessions });
  const directory = createCurrentDirectory({ settings, log, caFile });
  const memberships = createMemberships({ outbox });
  const mappingIndexes = createMappingIndexes();
  const mappings = createMappings({ outbox, indexes: mappingIndexes, memberships, sessions });
  const provisioning = createProvisioning({ db, pool, outbox, settings, mappings, sessions, telemetry });
  const pace = createPace({ floorMs: env.SIGN_IN_REFUSAL_MS });
  const signIn = createSignIn({
    db,
    pool,
    hasher,
    lockout,
    sessions,
    settings,
    directory,
    provisioning,
    pace,
    telemetry,
  });
  const newPasswords = createNewPasswords({ db, hasher, settings });
  const accounts = createAccounts({ db, outbox, hasher, newPasswords, lockout, sessions, settings });
  const registration = createRegistration({ db, outbox, newPasswords, settings, telemetry });
  const users = createUsers({ db, outbox, newPasswords, sessions, telemetry });
  const privileges = createPrivileges({ db, outbox, lockout, newPasswords, sessions });
  const approvals = createApprovals({ db, outbox, sessions });
  const auditTrail = createAuditTrail({ db });
  const sweep = createSweep({ db, outbox, sessions });
  const ldapMappings = () => mappingsStore.rules(db, 'ldap');
  const sweepRules = createSweepRules({ db, settings, directory, keyRing, ldapMappings });
  const ldapIndex = () => mappingIndexes.of(db, 'ldap');
  const explanations = createExplanations({ db, settings, directory, ldapMappings, ldapIndex });
  const groups = createGroups({ db, outbox });
  const members = createMembers({ db, outbox });
  const catalogue = createCatalogue({ db });
  const dryRun = createDryRun({ db, indexes: mappingIndexes, settings, directory });
  const allowInsecureCookies = env.ALLOW_INSECURE_COOKIES;
  const refuse = createRefusals({ db });
  const flows = createFlowCookies(env.JWT_SECRET_KEY);
  const oidc = createOidc({ db, settings, provider: createProvider(), flows, provisioning, refuse });
  const forwardedOf = createForwardedVerifier(env.ASSERTION_PUBLIC_KEY);
  const forwarding = { settings, forwardedOf, provisioning, refuse, allowInsecureCookies };
  const crls = createCrlSource({ log, telemetry });
  const revocation = createRevocation();
  const revocationLists = createRevocationLists({ pool, settings, crls, revocation });
  const firstAdmin: Part = {
    name: 'first administrator',
    start: () =>
      createFirstAdmin(
        { db, outbox, hasher, telemetry, log, settings },
        { email: env.OT_ADMIN_EMAIL, password: env.OT_ADMIN_PASSWORD },
      ),
    stop: async () => {},
  };

  return createService({
    ...base,
    slices: [
      database,
      {
        parts: [settings.part, revocationLists.part, sessions.part, firstAdmin, directory.part],
        routes: [
          ...signInRoutes({ signIn, settings, allowInsecureCookies }),
          ...oidcRoutes({ oidc, allowInsecureCookies }),
          ...pkiRoutes({ ...forwarding, crls, revocation }),
          ...trustedHeaderRoutes(forwarding),
          ...sessionsRoutes({ db, sessions, allowInsecureCookies }),
          ...accountsRoutes({ accounts, registration, settings }),
          ...usersRoutes({ users, privileges, certificates: createCertificateLinks({ db, outbox, sessions }) }),
          ...approvalsRoutes({ approvals }),
          ...auditLogRoutes({ db, trail: auditTrail }),
          ...explanationApi({ explanations }),
          ...groupsRoutes({ groups, members }),
          ...mappingsRoutes({ catalogue, dryRun }),
          ...settingsRoutes({ settings, view: settingsView, changes: settingChanges, testConnection, sourceSessions }),
        ],
        rpcs: [
          ...sessionsRpc({ sessions }),
          ...accountsRpc({ accounts }),
          ...groupsRpc({ groups }),
          ...sweepRpcs({ sweep, rules: sweepRules }),
        ],
        consumers: [recordOperations({ db }), recordFileActions({ db })],
        periodics: [
          periodic('refresh the revocation list', 5_000, revocationLists.refresh),
          periodic('delete used sign-in states', 600_000, async () => void (await flowStore.deleteOld(db))),
          periodic('delete old audit records', 3_600_000, async (signal) => {
            await auditTrail.deleteOld(signal);
          }),
          periodic('delete old refresh tokens', 3_600_000, async () => void (await sessionsStore.deleteOld(db))),
          periodic('close connections of expired accounts', 500, endDates.closeExpired),
          periodic('delete old failed sign-ins', 3_600_000, () => lockout.deleteOld()),
        ],
      },
    ],
  });
}
