import { identityEvents, type AuthCategory, type AuthSettingKey } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { invalid } from '@overtone/service-kit';
import { writeAudit } from '../audit/audit.ts';
import type { Client } from '../client.ts';
import { txOptions, type Db, type Tx } from '../database.ts';
import { plan, type Change } from './change-plan.ts';
import { faultsOf, warningsOf } from './rules.ts';
import { seal, type KeyRing } from './sealing.ts';
import { effective, isSensitive, type SettingValue, type Values } from './settings.ts';
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

  return {
    update: async (category, body, who) => {
      const done = await db.$transaction(async (tx): Promise<Done> => {
        await settingsStore.lock(tx);
        const before = await settings.read(tx);
        const { changes, faults } = plan(category, body, before, environment);
        const stored = new Map(before.stored);
        for (const { key, to } of changes) {
          if (to === undefined) stored.delete(key);
          else stored.set(key, to);
        }
        const after = effective(stored, environment).values;
        const all = [...faults, ...(faults.length > 0 ? [] : faultsOf(category, after))];
        if (all.length > 0) throw refused(all);
        for (const change of changes) await write(tx, category, change, who);
        const keys = changes.map((c) => c.key);
        if (keys.length > 0) await tell(tx, category, keys, who);
        return { keys, warnings: warningsOf(category, after) };
      }, txOptions);
      await settings.reload();
      return done;
    },
  };
};

const refused = (errors: { path: string; message: string }[]) =>
  invalid('settings_invalid', errors.map((e) => `${e.path}: ${e.message}`).join(' '), { errors });
