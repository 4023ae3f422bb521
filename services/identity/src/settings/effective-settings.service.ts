import type { Log, Metrics } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import type { ReadSettings } from './reader.service.ts';
import { isSettingKey, type Effective } from './settings.ts';
import { settingsStore } from './settings.store.ts';

type Deps = { db: Db; log: Log; metrics: Metrics; read: ReadSettings };

/** The effective settings of this replica, and how it reloads them. */
export const createEffectiveSettings = ({ db, log, metrics, read }: Deps) => {
  let now: Effective | undefined;
  let stamp = '';
  let running: Promise<void> = Promise.resolve();
  let queued: Promise<void> | undefined;

  const load = async (): Promise<void> => {
    metrics.cacheOps.inc({ cache: 'settings', result: 'miss' });
    // Read first: a change in between only causes another reload.
    const seen = await settingsStore.stamp(db);
    const { rows, values, origins } = await read(db);
    for (const { key } of rows)
      if (isSettingKey(key) && origins[key] === 'unreadable')
        log.error({ setting: key }, 'what is stored for a setting cannot be read; it counts as not set');
    now = { values, origins };
    stamp = seen;
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
      if (!now) throw new Error('the settings are asked for before they are loaded');
      return now;
    },
  };
};
