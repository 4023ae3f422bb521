import { authCategories, identityEvents, type AuthSettings } from '@overtone/contracts';
import { unseal, type Bus, type KeyRing, type Log, type Metrics, type Part } from '@overtone/service-kit';
import type { Db, Tx } from '../database.ts';
import type { AuthConfig } from '../generated/client.ts';
import { faultsOf } from './rules.ts';
import {
  effective,
  isSettingKey,
  type Effective,
  type Settings,
  type SettingValue,
  type Stored,
  type Values,
} from './settings.ts';
import { settingsStore } from './settings.store.ts';

type Deps = { db: Db; bus: Bus; log: Log; metrics: Metrics; environment: Values; keyRing: () => KeyRing };

/** Who lost the bus, or what was said on it, sees a change after this at the latest. */
const lookEveryMs = 2_000;

export type SettingsService = Settings & {
  effective: () => Effective;
  /** What is stored and what comes of it, as one transaction sees it. */
  read: (tx: Db | Tx) => Promise<{ rows: AuthConfig[]; stored: Stored } & Effective>;
  /** Takes what is stored into force on this replica. */
  reload: () => Promise<void>;
  /** The same, if something has changed; while the database is away, what was last read counts. */
  refresh: () => Promise<void>;
  part: Part;
};

/** The settings in force on this replica: loaded before the first request, and again whenever somebody changes them. */
export const createSettings = ({ db, bus, log, metrics, environment, keyRing }: Deps): SettingsService => {
  let now: Effective | undefined;
  let stamp = '';
  let running: Promise<void> = Promise.resolve();
  let queued: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let failing = false;
  let stopped = false;

  const read: SettingsService['read'] = async (tx) => {
    // Keys may be exchanged at any moment: whatever sealed the rows is among those of before or those of after.
    const before = keyRing();
    const rows = await settingsStore.all(tx);
    const rings = [keyRing(), before];
    const stored = new Map(
      rows.flatMap((row) => (isSettingKey(row.key) ? [[row.key, opened(row, rings)] as const] : [])),
    );
    return { rows, stored, ...effective(stored, environment) };
  };

  const load = async (): Promise<void> => {
    metrics.cacheOps.inc({ cache: 'settings', result: 'miss' });
    // Read first: a change in between only means that it is looked at once more.
    const seen = await settingsStore.stamp(db);
    const { rows, values, origins } = await read(db);
    for (const { key } of rows)
      if (isSettingKey(key) && origins[key] === 'unreadable')
        log.error({ setting: key }, 'what is stored for a setting cannot be read; it counts as not set');
    now = { values, origins };
    stamp = seen;
  };

  /** One at a time; who asks while one runs shares the next one, which begins after the asking. */
  const reload = (): Promise<void> =>
    (queued ??= running =
      running
        .catch(() => {})
        .then(() => {
          queued = undefined;
          return load();
        }));

  const look = async (): Promise<void> => {
    if ((await settingsStore.stamp(db)) !== stamp) await reload();
  };
  /** An outage of the database is said once; what was last read counts until it is over. */
  const quietly = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
      failing = false;
    } catch (err) {
      if (!failing) log.warn({ err: err as Error }, 'the settings cannot be read again; the last known ones count');
      failing = true;
    }
  };
  const watch = (): void => {
    timer = setTimeout(() => void quietly(look).finally(() => stopped || watch()), lookEveryMs);
  };

  /** The environment may say what nobody could store: that is no reason not to start, but nobody should have to guess. */
  const tellFaults = (): void => {
    for (const category of authCategories)
      for (const { path, message } of faultsOf(category, inForce().values))
        log.error({ setting: path, fault: message }, 'a setting cannot work as it is');
  };

  const inForce = (): Effective => {
    if (!now) throw new Error('the settings are asked for before they are loaded');
    return now;
  };

  return {
    current: (): AuthSettings => {
      metrics.cacheOps.inc({ cache: 'settings', result: 'hit' });
      return inForce().values;
    },
    effective: inForce,
    read,
    reload,
    refresh: () => quietly(look),
    part: {
      name: 'settings',
      start: async () => {
        await load();
        tellFaults();
        bus.nc().subscribe(identityEvents.settingsChanged.subject, { callback: () => void quietly(reload) });
        bus.onReconnect(() => void quietly(look));
        watch();
      },
      stop: async () => {
        stopped = true;
        clearTimeout(timer);
      },
    },
  };
};

const opened = (row: AuthConfig, rings: readonly KeyRing[]): SettingValue | undefined => {
  const { key, keyId, value, isSensitive } = row;
  if (!isSensitive) return value as SettingValue;
  if (keyId === null || typeof value !== 'string') return undefined;
  for (const ring of rings) {
    const secret = unseal(ring, key, { keyId, text: value });
    if (secret !== null) return secret;
  }
  return undefined;
};
