import {
  authCategories,
  authSettings,
  identityEvents,
  type AuthCategory,
  type AuthSettingKey,
  type AuthSettings,
  type Role,
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
type Done = { keys: AuthSettingKey[]; warnings: string[] };
type Deps = {
  db: Db;
  outbox: Outbox;
  settings: Pick<SettingsService, 'read' | 'reload'>;
  environment: Values;
  keyRing: () => KeyRing;
};
export type SettingChanges = {
  /** @throws AppError invalid, with every fault of the settings as they would be; then nothing is written. */
  update: (category: AuthCategory, body: Record<string, unknown>, who: Who) => Promise<Done>;
  /** Stores what the environment gives and nothing is stored for, so that the environment can go. */
  seed: (who: Who) => Promise<AuthSettingKey[]>;
};

const mask = '********';
const masked = (key: AuthSettingKey, value: SettingValue | null): SettingValue | null =>
  isSensitive(key) && value !== null ? mask : value;

export const createSettingChanges = ({ db, outbox, settings, environment, keyRing }: Deps): SettingChanges => {
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
    const told = released.map((u) => ({ userId: u.id, role: u.role as Role, active: u.isActive }));
    await outbox.addAll(tx, identityEvents.userUpdated, told);
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
    return { keys, warnings: warningsOf(category, after) };
  };

  return {
    update: async (category, body, who) => {
      const done = await db.$transaction((tx) => apply(tx, category, body, who), txOptions);
      if (done.keys.length > 0) await settings.reload();
      return done;
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
