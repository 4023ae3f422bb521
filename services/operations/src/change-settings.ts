import type { BackupSettings, DestinationStatus, MirrorSettings, operationActions } from '@overtone/contracts';
import {
  createSettingsStore,
  recordOperation,
  withChanges,
  type AdminRequest,
  type Outbox,
  type SettingsDb,
} from '@overtone/database';
import { invalid, isAppError, type KeyRing } from '@overtone/service-kit';
import { markFolder } from '@overtone/service-kit/folder-marker';
import type { CheckDestination } from './allowed-destination.ts';
import type { Db } from './database.ts';
import { failureOf, statusOf, notSet, requireUsable, type HowToTest, type Target } from './destination.ts';
import {
  concernsDestination,
  destinationField,
  requireSecretOfServer,
  splitSecrets,
  validate,
  type Changes,
  type Secrets,
  type SettingsGroup,
  type Stored,
} from './settings/settings.ts';

type Deps<S extends BackupSettings | MirrorSettings> = {
  db: Db;
  outbox: Outbox;
  keyRing: () => KeyRing;
  group: SettingsGroup;
  /** @returns undefined while no destination is set. @throws AppError for one that must not be used. */
  open: (settings: S, secrets: Secrets) => Target | undefined;
  action: (typeof operationActions)[number];
  checkDestination: CheckDestination;
};

/** Reads, tests and changes the settings of a group. */
export function createSettingsService<S extends BackupSettings | MirrorSettings>(deps: Deps<S>) {
  const { db, outbox, keyRing, group, open, action, checkDestination } = deps;
  const store = createSettingsStore({ table: 'operations_settings', keyRing });
  const readFrom = async (source: SettingsDb, changed: Changes = {}): Promise<Stored<S>> => {
    const { values, changes } = await store.read(source, group);
    const times = ['enabled', 'schedule'].flatMap((field) => changes[field]?.at.getTime() ?? []);
    return {
      ...splitSecrets<S>(withChanges(group, values, changed)),
      scheduledSince: times.length === 0 ? null : new Date(Math.max(...times)),
    };
  };
  const readStatus = async (settings: S, secrets: Secrets, how: HowToTest): Promise<DestinationStatus> => {
    try {
      const target = open(settings, secrets);
      if (!target) return notSet;
      return await statusOf(target, how, async () => {
        // The one in use was checked when it was saved.
        if (how !== 'probe') await checkDestination(settings);
      });
    } catch (error) {
      if (!isAppError(error)) throw error;
      return { ...notSet, destination: settings.destination, error_code: error.code, error: error.message };
    }
  };
  return {
    read: () => readFrom(db),
    items: () => store.items(db, group),
    /** Whether the stored destination can be reached; writes nothing, so that pages may ask. */
    probe: async (): Promise<DestinationStatus> => {
      const { settings, secrets } = await readFrom(db);
      return await readStatus(settings, secrets, 'probe');
    },
    /** A readiness check: the folder of a schedule is the chosen one and can be used. Buckets are not asked every time. */
    requireFolder: async (): Promise<void> => {
      const { settings, secrets } = await readFrom(db);
      if (!settings.enabled || settings.destination_type !== 'folder') return;
      const target = open(settings, secrets);
      if (!target) return;
      try {
        await target.probe();
      } catch (error) {
        throw invalid('destination_unavailable', failureOf(error).message, { cause: error });
      } finally {
        target.close();
      }
    },
    /** Tests the stored destination, or the one that the changes would make of it. */
    test: async (changes: Changes = {}): Promise<DestinationStatus> => {
      requireSecretOfServer(await readFrom(db), changes);
      const { settings, secrets } = await readFrom(db, changes);
      return await readStatus(settings, secrets, 'test');
    },
    /** Nothing is saved when the destination cannot be used. */
    change: async (request: AdminRequest, changes: Changes): Promise<void> => {
      requireSecretOfServer(await readFrom(db), changes);
      const { settings, secrets } = await readFrom(db, changes);
      validate(settings, secrets);
      if (concernsDestination(changes)) {
        const status = await readStatus(settings, secrets, 'check');
        if (status.destination !== null) requireUsable(status, destinationField(settings));
        if (status.ok && settings.destination_type === 'folder') await markFolder(settings.destination);
      }
      await db.$transaction(async (tx) => {
        // Another administrator may have changed the rest while the destination was tested.
        const validateLatest = (latest: object): void => {
          const next = splitSecrets<S>(latest);
          validate(next.settings, next.secrets);
        };
        const by = request.caller.userId;
        const { details } = await store.change(tx, group, { changes, by, validate: validateLatest });
        await recordOperation({ tx, outbox, request }, action, details);
      });
    },
  };
}

export type SettingsService<S extends BackupSettings | MirrorSettings> = ReturnType<typeof createSettingsService<S>>;
