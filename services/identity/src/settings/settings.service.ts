import { authCategories, identityEvents, type AuthSettings } from '@overtone/contracts';
import type { Bus, KeyRing, Log, Metrics, Slice } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import type { Settings } from '../live-settings.ts';
import { createEffectiveSettings, createReader, type ReadSettings } from './effective-settings.service.ts';
import { faultsOf } from './rules.ts';
import type { Effective, Values } from './settings.ts';

type Deps = { db: Db; bus: Bus; log: Log; metrics: Metrics; env: { seeds: Values; keyRing: () => KeyRing } };

/** A replica that missed the event picks up a change after this at the latest. */
const checkEveryMs = 2_000;

export type SettingsService = Settings & {
  /** The current values with the origin of each. */
  effective: () => Effective;
  read: ReadSettings;
  /** Makes the stored settings effective on this replica. */
  reload: () => Promise<void>;
  /** Reloads if a setting has changed; while the database is down, the last known settings stay effective. */
  refresh: () => Promise<void>;
};

/** The effective settings of this replica: loaded before the first request, and again after every change. */
export function createSettings({ db, bus, log, metrics, env }: Deps): SettingsService & Slice {
  const read = createReader(env.seeds, env.keyRing);
  const { load, reload, reloadIfChanged, current } = createEffectiveSettings({ db, log, metrics, read });
  const tolerateOutage = createOutageTolerance(log);
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const watch = (): void => {
    timer = setTimeout(() => void tolerateOutage(reloadIfChanged).finally(() => stopped || watch()), checkEveryMs);
  };

  return {
    current: (): AuthSettings => {
      metrics.cacheOps.inc({ cache: 'settings', result: 'hit' });
      return current().values;
    },
    effective: current,
    read,
    reload,
    refresh: () => tolerateOutage(reloadIfChanged),
    parts: [
      {
        name: 'settings',
        start: async () => {
          await load();
          logFaults(log, current().values);
          bus.subscribeLive(identityEvents.settingsChanged, () => void tolerateOutage(reload));
          bus.onRenewal(() => void tolerateOutage(reloadIfChanged));
          watch();
        },
        stop: async () => {
          stopped = true;
          clearTimeout(timer);
        },
      },
    ],
  };
}

/** Tolerates failed reads: an outage of the database is logged once, and the last known settings stay effective. */
function createOutageTolerance(log: Log) {
  let failing = false;
  return async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
      failing = false;
    } catch (err) {
      if (!failing) log.warn({ err: err as Error }, 'settings reload failed: the last known settings stay effective');
      failing = true;
    }
  };
}

/** The environment may contain values that the API rejects: they are logged and do not prevent the start. */
function logFaults(log: Log, values: AuthSettings): void {
  for (const category of authCategories)
    for (const { path, message } of faultsOf(category, values))
      log.error({ setting: path, fault: message }, 'invalid setting');
}
