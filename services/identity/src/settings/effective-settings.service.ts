import { unseal, type KeyRing, type Log, type Metrics } from '@overtone/service-kit';
import type { Db, Tx } from '../database.ts';
import type { AuthConfig } from '../generated/client.ts';
import { effective, isSettingKey, type Effective, type SettingValue, type Stored, type Values } from './settings.ts';
import { settingsStore } from './settings.store.ts';

type Deps = { db: Db; log: Log; metrics: Metrics; read: ReadSettings };

/** The effective settings of this replica, and how it reloads them. */
export function createEffectiveSettings({ db, log, metrics, read }: Deps) {
  let loaded: Effective | undefined;
  let stamp = '';
  let running: Promise<void> = Promise.resolve();
  let queued: Promise<void> | undefined;

  const load = async (): Promise<void> => {
    metrics.cacheOps.inc({ cache: 'settings', result: 'miss' });
    // Read before the settings: a change in between only causes another reload.
    const newStamp = await settingsStore.stamp(db);
    const { rows, values, origins } = await read(db);
    for (const { key } of rows)
      if (isSettingKey(key) && origins[key] === 'unreadable')
        log.error({ setting: key }, 'stored setting ignored: unreadable');
    loaded = { values, origins };
    stamp = newStamp;
  };

  /** One reload at a time; requests during a reload share the next one, which starts after them. */
  const reload = (): Promise<void> =>
    (queued ??= running =
      running
        .catch(() => {})
        .then(() => {
          queued = undefined;
          return load();
        }));

  return {
    load,
    reload,
    reloadIfChanged: async (): Promise<void> => {
      if ((await settingsStore.stamp(db)) !== stamp) await reload();
    },
    current: (): Effective => {
      if (!loaded) throw new Error('the settings are not loaded yet');
      return loaded;
    },
  };
}

/** The stored rows, their values and the effective settings, read in one transaction. */
export type ReadSettings = (tx: Db | Tx) => Promise<{ rows: AuthConfig[]; stored: Stored } & Effective>;

/** Reads the settings and unseals their secrets. */
export function createReader(environment: Values, keyRing: () => KeyRing): ReadSettings {
  return async (tx) => {
    // The keys may be replaced at any moment: the rows are sealed with a key of before or after the read.
    const before = keyRing();
    const rows = await settingsStore.all(tx);
    const rings = [keyRing(), before];
    const stored = new Map(
      rows.flatMap((row) => (isSettingKey(row.key) ? [[row.key, unsealRow(row, rings)] as const] : [])),
    );
    return { rows, stored, ...effective(stored, environment) };
  };
}

function unsealRow(row: AuthConfig, rings: readonly KeyRing[]): SettingValue | undefined {
  const { key, keyId, value, isSensitive } = row;
  if (!isSensitive) return value as SettingValue;
  if (keyId === null || typeof value !== 'string') return undefined;
  for (const ring of rings) {
    const secret = unseal(ring, key, { keyId, text: value });
    if (secret !== null) return secret;
  }
  return undefined;
}
