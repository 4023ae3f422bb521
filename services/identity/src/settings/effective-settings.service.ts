import type { Log, Metrics } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import type { ReadSettings } from './reader.service.ts';
import { isSettingKey, type Effective } from './settings.ts';
import { settingsStore } from './settings.store.ts';

type Deps = { db: Db; log: Log; metrics: Metrics; read: ReadSettings };

/** The effective settings of this replica, and how it reloads them. */
export function createEffectiveSettings({ db, log, metrics, read }: Deps) {
  let effective: Effective | undefined;
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
    effective = { values, origins };
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
      if (!effective) throw new Error('the settings are not loaded yet');
      return effective;
    },
  };
}
