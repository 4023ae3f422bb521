import { readFile } from 'node:fs/promises';
import type { AuthSettings, ConnectionStep } from '@overtone/contracts';
import { createDirectory } from '@overtone/directory';
import type { Client } from '@overtone/service-kit';
import { writeAudit } from '../audit/audit.ts';
import type { Db } from '../database.ts';
import { directoryConfigOf } from '../directory/directory.ts';
import { issuerOf, type AdminRoleFacts, type OidcSettings } from '../oidc/oidc.ts';
import type { PkiSettings } from '../pki/pki.ts';
import { planChanges, settingsInvalid } from './change-plan.ts';
import { checkRecipient } from './recipients.ts';
import { faultsOf } from './rules.ts';
import { effective, storedAfter, type Effective, type Values } from './settings.ts';
import type { SettingsService } from './settings.service.ts';
import { settingsStore } from './settings.store.ts';

type TestedSource = 'ldap' | 'oidc' | 'pki';
type Result = { success: boolean; message: string; steps: ConnectionStep[]; details: Record<string, unknown> };
type RequestContext = { userId: string; client: Client };
export type ConnectionTestDeps = {
  db: Db;
  settings: Pick<SettingsService, 'read'>;
  environment: Values;
  /** A file of certificates (PEM) that are trusted in addition to those of the settings. */
  caFile: string | undefined;
  diagnoseProvider: (settings: OidcSettings, facts: AdminRoleFacts) => Promise<ConnectionStep[]>;
  diagnosePki: (settings: PkiSettings) => Promise<ConnectionStep[]>;
};
export type ConnectionTest = (
  category: TestedSource,
  body: Record<string, unknown>,
  context: RequestContext,
) => Promise<Result>;

const switchedOn: Record<TestedSource, Partial<AuthSettings>> = {
  ldap: { ldap_enabled: true },
  oidc: { oidc_enabled: true },
  pki: { pki_enabled: true },
};

/** Tests the saved settings with unsaved changes; stores nothing. */
export function createConnectionTest({
  caFile,
  db,
  diagnoseProvider,
  diagnosePki,
  settings,
  environment,
}: ConnectionTestDeps): ConnectionTest {
  const tests: Record<TestedSource, (after: Effective) => Promise<Omit<Result, 'message'>>> = {
    ldap: ({ values }) => testDirectory(values, caFile),
    oidc: async ({ values, origins }) => {
      const lastSignIn = await settingsStore.lastOidcSignIn(db);
      const facts = { configured: origins.oidc_admin_role !== 'default', lastSignIn };
      return resultOf(await diagnoseProvider(values, facts), { issuer: issuerOf(values) });
    },
    pki: async ({ values }) => resultOf(await diagnosePki(values)),
  };

  const resolveSettings = async (category: TestedSource, body: Record<string, unknown>): Promise<Effective> => {
    const saved = await settings.read(db);
    const { changes, faults } = planChanges(category, body, saved, environment);
    if (faults.length > 0) throw settingsInvalid(faults);
    const after = effective(storedAfter(saved.stored, changes), environment);
    const candidateSettings = after.values;
    const unset = effective(new Map(), environment).values;
    checkRecipient(category, { given: body, saved: saved.values, next: candidateSettings, unset });
    const missing = faultsOf(category, { ...candidateSettings, ...switchedOn[category] });
    if (missing.length > 0) throw settingsInvalid(missing);
    return after;
  };

  return async (category, body, context) => {
    const after = await resolveSettings(category, body);
    const candidateSettings = after.values;
    const result = await tests[category](after);
    const failed = result.steps.find((step) => !step.ok);
    await writeAudit(db, {
      event: 'admin.settings.test',
      outcome: result.success ? 'success' : 'failure',
      actor: context.userId,
      userId: context.userId,
      client: context.client,
      details: {
        category,
        address: addressOf(category, candidateSettings),
        ...(failed ? { failed_step: failed.code } : {}),
      },
    });
    return { ...result, message: failed ? `${failed.title}: ${failed.evidence}` : successOf[category] };
  };
}

async function testDirectory(settings: AuthSettings, caFile: string | undefined): Promise<Omit<Result, 'message'>> {
  const extraCa = caFile ? await readFile(caFile, 'utf8') : null;
  const directory = createDirectory(directoryConfigOf(settings, extraCa));
  const { ok, steps, server_info: info } = await directory.diagnose();
  await directory.close();
  return {
    success: ok,
    steps: steps.map((step) => ({ ...step, advice: step.advice ?? '' })),
    details: info ? { server_info: info } : {},
  };
}

function resultOf(steps: ConnectionStep[], details: Record<string, unknown> = {}): Omit<Result, 'message'> {
  return { success: steps.every((step) => step.ok), steps, details };
}

const successOf: Record<TestedSource, string> = {
  ldap: 'LDAP connection successful',
  oidc: 'OpenID Connect connection successful',
  pki: 'Certificates and revocation lists can be used',
};

function addressOf(category: TestedSource, settings: AuthSettings): string {
  return category === 'ldap' ? settings.ldap_server : category === 'oidc' ? issuerOf(settings) : settings.pki_crl_url;
}
