import {
  authCategories,
  authSettings,
  identityEvents,
  signInSources,
  type AuthCategory,
  type AuthSettingKey,
  type AuthSettings,
  type Role,
  type SignInSource,
} from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { seal, type Client, type KeyRing } from '@overtone/service-kit';
import { writeAudit } from '../audit/audit.ts';
import type { Db, Tx } from '../database.ts';
import { planChanges, settingsInvalid, type Change } from './change-plan.ts';
import { checkRecipient } from './recipients.ts';
import { faultsOf, warningsOf } from './rules.ts';
import { effective, isSensitive, settingKeys, storedAfter, type SettingValue, type Values } from './settings.ts';
import type { SettingsService } from './settings.service.ts';
import { settingsStore } from './settings.store.ts';

type RequestContext = { userId: string; client: Client };
type UpdateResult = { keys: AuthSettingKey[]; warnings: string[]; switchedOff: SignInSource | null };
export type SettingChangesDeps = {
  db: Db;
  outbox: Outbox;
  settings: Pick<SettingsService, 'read' | 'reload'>;
  environment: Values;
  keyRing: () => KeyRing;
  /** Downloads a revocation list before its address is saved. */
  tryRevocationList: (url: string) => Promise<{ ok: true } | { ok: false; reason: string; isUnreadable: boolean }>;
};
export type SettingChanges = {
  /** @throws AppError invalid with all faults of the resulting settings; nothing is written then. */
  update: (category: AuthCategory, body: Record<string, unknown>, context: RequestContext) => Promise<UpdateResult>;
  /** Stores the values of the environment for settings without a stored value, so that the environment can be cleared. */
  seed: (context: RequestContext) => Promise<AuthSettingKey[]>;
};

const mask = '********';

export function createSettingChanges(deps: SettingChangesDeps): SettingChanges {
  const { db, settings } = deps;
  return {
    update: async (category, body, context) => {
      const found = await tryList(deps, category, body);
      const done = await db.$transaction((tx) => applyUpdate(deps, tx, { category, body, context }));
      if (done.keys.length > 0) await settings.reload();
      return { ...done, warnings: [...done.warnings, ...found] };
    },
    seed: async (context) => {
      const seeded = await db.$transaction((tx) => storeSeeds(deps, tx, context));
      await settings.reload();
      return seeded;
    },
  };
}

type Update = { category: AuthCategory; body: Record<string, unknown>; context: RequestContext };

async function applyUpdate(deps: SettingChangesDeps, tx: Tx, { category, body, context }: Update) {
  const { outbox, settings, environment } = deps;
  await settingsStore.lock(tx);
  const before = await settings.read(tx);
  const { changes, faults } = planChanges(category, body, before, environment);
  if (faults.length > 0) throw settingsInvalid(faults);
  const after = effective(storedAfter(before.stored, changes), environment).values;
  await checkSettings(tx, category, after);
  const unset = effective(new Map(), environment).values;
  checkRecipient(category, { given: body, saved: before.values, next: after, unset });
  for (const change of changes) await storeChange(deps, tx, category, change, context);
  const keys = changes.map((change) => change.key);
  if (keys.length > 0) await publishChange(outbox, tx, { category, keys, context });
  if (before.values.require_account_approval && !after.require_account_approval)
    await approvePending(outbox, tx, context);
  return { keys, warnings: warningsOf(category, after), switchedOff: switchedOff(before.values, after) };
}

async function storeSeeds(deps: SettingChangesDeps, tx: Tx, context: RequestContext): Promise<AuthSettingKey[]> {
  const { outbox, settings, environment } = deps;
  await settingsStore.lock(tx);
  const { stored } = await settings.read(tx);
  const missing = settingKeys.filter((key) => environment[key] !== undefined && !stored.has(key));
  for (const category of authCategories) {
    const keys = missing.filter((key) => authSettings[key].category === category);
    for (const key of keys) {
      const to = environment[key];
      await storeChange(deps, tx, category, { key, from: to, to, stored: false }, context);
    }
    if (keys.length > 0) await publishChange(outbox, tx, { category, keys, context });
  }
  return missing;
}

/**
 * A list that cannot be read is refused; a server that does not respond is only a warning, because it may respond later.
 * @returns warnings. @throws AppError invalid.
 */
async function tryList(
  { db, settings, environment, tryRevocationList }: SettingChangesDeps,
  category: AuthCategory,
  body: Record<string, unknown>,
): Promise<string[]> {
  const url = body['pki_crl_url'];
  if (category !== 'pki' || typeof url !== 'string' || url.trim() === '') return [];
  const before = await settings.read(db);
  const { changes } = planChanges(category, body, before, environment);
  const after = effective(storedAfter(before.stored, changes), environment).values;
  const isChanged = after.pki_crl_url !== before.values.pki_crl_url;
  if (!isChanged || !after.pki_verify_revocation || faultsOf(category, after).length > 0) return [];
  const tried = await tryRevocationList(after.pki_crl_url);
  if (tried.ok) return [];
  const message = `The response is not a revocation list: ${tried.reason}.`;
  if (tried.isUnreadable) throw settingsInvalid([{ path: 'pki_crl_url', message }]);
  return [`The revocation list cannot be fetched now: ${tried.reason}.`];
}

/** @throws AppError invalid. */
async function checkSettings(tx: Tx, category: AuthCategory, after: AuthSettings): Promise<void> {
  const faults = faultsOf(category, after);
  if (category === 'local' && !after.local_enabled && !(await settingsStore.superAdminHasPassword(tx)))
    faults.push({ path: 'local_enabled', message: 'No super_admin could sign in any more if the others fail.' });
  if (faults.length > 0) throw settingsInvalid(faults);
}

async function storeChange(
  { keyRing }: Pick<SettingChangesDeps, 'keyRing'>,
  tx: Tx,
  category: AuthCategory,
  change: Change,
  { userId: by, client }: RequestContext,
): Promise<void> {
  const { key, to } = change;
  if (to === undefined) await settingsStore.remove(tx, key);
  else if (isSensitive(key)) {
    const { keyId, text } = seal(keyRing(), key, String(to));
    await settingsStore.put(tx, { key, category, value: text, keyId, by });
  } else await settingsStore.put(tx, { key, category, value: to, keyId: null, by });
  await settingsStore.record(tx, {
    key,
    category,
    oldValue: maskSecret(key, change.from ?? null),
    newValue: maskSecret(key, to ?? null),
    changeType: to === undefined ? 'delete' : change.stored ? 'update' : 'create',
    changedBy: by,
    ipAddress: client.ip,
    userAgent: client.userAgent,
  });
}

async function publishChange(
  outbox: Outbox,
  tx: Tx,
  { category, keys, context }: { category: AuthCategory; keys: AuthSettingKey[]; context: RequestContext },
): Promise<void> {
  const { userId, client } = context;
  await outbox.add(tx, identityEvents.settingsChanged, { category, keys });
  const details = { category, keys: keys.join(', ') };
  await writeAudit(tx, {
    event: 'admin.settings.change',
    outcome: 'success',
    actor: userId,
    userId,
    client,
    details,
  });
}

/** Approves the waiting accounts when approval is switched off; rejected accounts stay rejected. */
async function approvePending(outbox: Outbox, tx: Tx, { userId: actor, client }: RequestContext): Promise<void> {
  const released = await settingsStore.releasePending(tx, actor);
  const updates = released.map(({ id, role, isActive }) => ({ userId: id, role: role as Role, active: isActive }));
  await outbox.addAll(tx, identityEvents.userUpdated, updates);
  const details = { reason: 'require_account_approval was switched off' };
  const approval = { event: 'admin.user.approve', outcome: 'success', actor, client, details } as const;
  for (const { id, email } of released) await writeAudit(tx, { ...approval, userId: id, username: email });
}

/** The source that a change of its category has switched off. */
function switchedOff(before: AuthSettings, after: AuthSettings): SignInSource | null {
  return signInSources.find((source) => before[`${source}_enabled`] && !after[`${source}_enabled`]) ?? null;
}

function maskSecret(key: AuthSettingKey, value: SettingValue | null): SettingValue | null {
  return isSensitive(key) && value !== null ? mask : value;
}
