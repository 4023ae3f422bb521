import { authCategories, identityEvents, type AuthSettings } from '@overtone/contracts';
import type { Bus, KeyRing, Log, Metrics, Part } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { createInForce } from './in-force.service.ts';
import { faultsOf } from './rules.ts';
import { createReader, type ReadSettings } from './reader.service.ts';
import type { Effective, Settings, Values } from './settings.ts';

type Deps = { db: Db; bus: Bus; log: Log; metrics: Metrics; environment: Values; keyRing: () => KeyRing };

/** Who lost the bus, or what was said on it, sees a change after this at the latest. */
const lookEveryMs = 2_000;

export type SettingsService = Settings & {
  effective: () => Effective;
  read: ReadSettings;
  /** Takes what is stored into force on this replica. */
  reload: () => Promise<void>;
  /** The same, if something has changed; while the database is away, what was last read counts. */
  refresh: () => Promise<void>;
  part: Part;
};

/** Lets a look at the settings fail: an outage of the database is said once, and what was last read counts until it is over. */
const createPatience = (log: Log) => {
  let failing = false;
  return async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
      failing = false;
    } catch (err) {
      if (!failing) log.warn({ err: err as Error }, 'the settings cannot be read again; the last known ones count');
      failing = true;
    }
  };
};

/** The environment may say what nobody could store: that is no reason not to start, but nobody should have to guess. */
const tellFaults = (log: Log, values: AuthSettings): void => {
  for (const category of authCategories)
    for (const { path, message } of faultsOf(category, values))
      log.error({ setting: path, fault: message }, 'a setting cannot work as it is');
};

/** The settings in force on this replica: loaded before the first request, and again whenever somebody changes them. */
export const createSettings = ({ db, bus, log, metrics, environment, keyRing }: Deps): SettingsService => {
  const read = createReader(environment, keyRing);
  const { load, reload, look, current } = createInForce({ db, log, metrics, read });
  const quietly = createPatience(log);
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const watch = (): void => {
    timer = setTimeout(() => void quietly(look).finally(() => stopped || watch()), lookEveryMs);
  };

  return {
    current: (): AuthSettings => {
      metrics.cacheOps.inc({ cache: 'settings', result: 'hit' });
      return current().values;
    },
    effective: current,
    read,
    reload,
    refresh: () => quietly(look),
    part: {
      name: 'settings',
      start: async () => {
        await load();
        tellFaults(log, current().values);
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
