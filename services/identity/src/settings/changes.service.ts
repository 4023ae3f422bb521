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
import { seal, type KeyRing } from '@overtone/service-kit';
import { writeAudit } from '../audit/audit.ts';
import type { Client } from '../client.ts';
import { txOptions, type Db, type Tx } from '../database.ts';
import { plan, type Change } from './change-plan.ts';
import { refused } from './refused.ts';
import { checkRecipient } from './recipients.ts';
import { faultsOf, warningsOf } from './rules.ts';
import { effective, isSensitive, settingKeys, storedAfter, type SettingValue, type Values } from './settings.ts';
import type { SettingsService } from './settings.service.ts';
import { settingsStore } from './settings.store.ts';

type Who = { userId: string; client: Client };
type Done = { keys: AuthSettingKey[]; warnings: string[]; switchedOff: SignInSource | null };
type Deps = {
  db: Db;
  outbox: Outbox;
  settings: Pick<SettingsService, 'read' | 'reload'>;
  environment: Values;
  keyRing: () => KeyRing;
  /** Tries what a setting points to, before it is saved. */
  tryRevocationList: (url: string) => Promise<{ ok: true } | { ok: false; reason: string; isUnreadable: boolean }>;
};
export type SettingChanges = {
  /** @throws AppError invalid, with every fault of the settings as they would be; then nothing is written. */
  update: (category: AuthCategory, body: Record<string, unknown>, who: Who) => Promise<Done>;
  /** Stores what the environment gives and nothing is stored for, so that the environment can go. */
  seed: (who: Who) => Promise<AuthSettingKey[]>;
};

/** The source that a change of its category has switched off. */
const switchedOff = (before: AuthSettings, after: AuthSettings): SignInSource | null =>
  signInSources.find((source) => before[`${source}_enabled`] && !after[`${source}_enabled`]) ?? null;

const mask = '********';
const masked = (key: AuthSettingKey, value: SettingValue | null): SettingValue | null =>
  isSensitive(key) && value !== null ? mask : value;

export const createSettingChanges = (d: Deps): SettingChanges => {
  const { db, outbox, settings, environment, keyRing } = d;

  const write = async (tx: Tx, category: AuthCategory, change: Change, who: Who): Promise<void> => {
    const { key, to } = change;
    const by = who.userId;
    if (to === undefined) await settingsStore.remove(tx, key);
    else if (isSensitive(key)) {
      const { keyId, text } = seal(keyRing(), key, String(to));
      await settingsStore.put(tx, { key, category, value: text, keyId, by });
    } else await settingsStore.put(tx, { key, category, value: to, keyId: null, by });
    await settingsStore.record(tx, {
      key,
      category,
      oldValue: masked(key, change.from ?? null),
      newValue: masked(key, to ?? null),
      changeType: to === undefined ? 'delete' : change.stored ? 'update' : 'create',
      changedBy: by,
      ipAddress: who.client.ip,
      userAgent: who.client.userAgent,
    });
  };

  const tell = async (tx: Tx, category: AuthCategory, keys: AuthSettingKey[], who: Who): Promise<void> => {
    await outbox.add(tx, identityEvents.settingsChanged, { category, keys });
    await writeAudit(tx, {
      event: 'admin.settings.change',
      outcome: 'success',
      actor: who.userId,
      userId: who.userId,
      client: who.client,
      details: { category, keys: keys.join(', ') },
    });
  };

  /** What switching the approval of accounts off means for those who wait; who was rejected stays rejected. */
  const release = async (tx: Tx, who: Who): Promise<void> => {
    const released = await settingsStore.releasePending(tx, who.userId);
    const updates = released.map((u) => ({ userId: u.id, role: u.role as Role, active: u.isActive }));
    await outbox.addAll(tx, identityEvents.userUpdated, updates);
    for (const { id, email } of released)
      await writeAudit(tx, {
        event: 'admin.user.approve',
        outcome: 'success',
        actor: who.userId,
        userId: id,
        username: email,
        client: who.client,
        details: { reason: 'require_account_approval was switched off' },
      });
  };

  /** @throws AppError invalid. */
  const check = async (tx: Tx, category: AuthCategory, after: AuthSettings): Promise<void> => {
    const faults = faultsOf(category, after);
    if (category === 'local' && !after.local_enabled && !(await settingsStore.superAdminHasPassword(tx)))
      faults.push({ path: 'local_enabled', message: 'No super_admin could sign in any more if the others fail.' });
    if (faults.length > 0) throw refused(faults);
  };

  const apply = async (tx: Tx, category: AuthCategory, body: Record<string, unknown>, who: Who): Promise<Done> => {
    await settingsStore.lock(tx);
    const before = await settings.read(tx);
    const { changes, faults } = plan(category, body, before, environment);
    if (faults.length > 0) throw refused(faults);
    const after = effective(storedAfter(before.stored, changes), environment).values;
    await check(tx, category, after);
    const unset = effective(new Map(), environment).values;
    checkRecipient(category, { given: body, saved: before.values, next: after, unset });
    for (const change of changes) await write(tx, category, change, who);
    const keys = changes.map((c) => c.key);
    if (keys.length > 0) await tell(tx, category, keys, who);
    if (before.values.require_account_approval && !after.require_account_approval) await release(tx, who);
    return { keys, warnings: warningsOf(category, after), switchedOff: switchedOff(before.values, after) };
  };

  /**
   * A list that cannot be read is refused; a server that does not respond is only a warning, because it may respond later.
   * @returns warnings. @throws AppError invalid.
   */
  const tryList = async (category: AuthCategory, body: Record<string, unknown>): Promise<string[]> => {
    const url = body['pki_crl_url'];
    if (category !== 'pki' || typeof url !== 'string' || url.trim() === '') return [];
    const before = await settings.read(db);
    const { changes } = plan(category, body, before, environment);
    const after = effective(storedAfter(before.stored, changes), environment).values;
    const isChanged = after.pki_crl_url !== before.values.pki_crl_url;
    if (!isChanged || !after.pki_verify_revocation || faultsOf(category, after).length > 0) return [];
    const tried = await d.tryRevocationList(after.pki_crl_url);
    if (tried.ok) return [];
    if (tried.isUnreadable)
      throw refused([{ path: 'pki_crl_url', message: `What is there is no revocation list: ${tried.reason}.` }]);
    return [`The revocation list cannot be fetched now: ${tried.reason}.`];
  };

  return {
    update: async (category, body, who) => {
      const found = await tryList(category, body);
      const done = await db.$transaction((tx) => apply(tx, category, body, who), txOptions);
      if (done.keys.length > 0) await settings.reload();
      return { ...done, warnings: [...done.warnings, ...found] };
    },

    seed: async (who) => {
      const seeded = await db.$transaction(async (tx) => {
        await settingsStore.lock(tx);
        const { stored } = await settings.read(tx);
        const missing = settingKeys.filter((key) => environment[key] !== undefined && !stored.has(key));
        for (const category of authCategories) {
          const keys = missing.filter((key) => authSettings[key].category === category);
          for (const key of keys) {
            const to = environment[key];
            await write(tx, category, { key, from: to, to, stored: false }, who);
          }
          if (keys.length > 0) await tell(tx, category, keys, who);
        }
        return missing;
      }, txOptions);
      await settings.reload();
      return seeded;
    },
  };
};
