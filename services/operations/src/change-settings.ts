import type { BackupSettings, DestinationStatus, MirrorSettings, operationActions } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { invalid, isAppError, type KeyRing } from '@overtone/service-kit';
import type { Db } from './database.ts';
import { statusOf, notSet, requireUsable, type Target } from './destination.ts';
import { recordOperation, type AdminRequest } from './operator.ts';
import {
  concernsDestination,
  requireSecretOfServer,
  validate,
  withChanges,
  type Changes,
  type Secrets,
  type Stored,
} from './settings/settings.ts';
import { lockSettings, readSettings, writeSettings, type Group } from './settings/settings.store.ts';

type Deps<S extends BackupSettings | MirrorSettings> = {
  db: Db;
  outbox: Outbox;
  keyRing: () => KeyRing;
  group: Group<S>;
  /** @returns undefined while no destination is set. @throws AppError for one that must not be used. */
  open: (settings: S, secrets: Secrets) => Target | undefined;
  action: (typeof operationActions)[number];
};

/** Reads, tests and changes the settings of a group. */
export function createSettingsService<S extends BackupSettings | MirrorSettings>(deps: Deps<S>) {
  const { db, outbox, keyRing, group, open, action } = deps;
  const read = (): Promise<Stored<S>> => readSettings(db, group, keyRing());
  const readStatus = async (settings: S, secrets: Secrets, how: 'check' | 'probe'): Promise<DestinationStatus> => {
    try {
      const target = open(settings, secrets);
      return target ? await statusOf(target, how) : notSet;
    } catch (error) {
      if (!isAppError(error)) throw error;
      return { ...notSet, destination: settings.destination, error_code: error.code, error: error.message };
    }
  };
  return {
    read,
    /** Whether the stored destination can be reached; writes nothing, so that pages may ask. */
    probe: async (): Promise<DestinationStatus> => {
      const { settings, secrets } = await read();
      return await readStatus(settings, secrets, 'probe');
    },
    /** Tests the stored destination, or the one that the changes would make of it. */
    test: async (changes: Changes<S> = {}): Promise<DestinationStatus> => {
      const stored = await read();
      requireSecretOfServer(stored, changes);
      const { settings, secrets } = withChanges(stored, changes);
      return await readStatus(settings, secrets, 'check');
    },
    /** Nothing is saved when the destination cannot be used. */
    change: async (request: AdminRequest, changes: Changes<S>): Promise<Stored<S>> => {
      const given = Object.keys(changes).filter((name) => changes[name as keyof Changes<S>] !== undefined);
      if (given.length === 0) throw invalid('invalid_request', 'There is nothing to change');
      const before = await read();
      requireSecretOfServer(before, changes);
      const { settings, secrets } = withChanges(before, changes);
      validate(settings, secrets);
      if (concernsDestination(changes)) {
        const status = await readStatus(settings, secrets, 'check');
        if (status.destination !== null) requireUsable(status);
      }
      await db.$transaction(async (tx) => {
        await lockSettings(tx);
        // Another administrator may have changed the rest while the destination was tested.
        const latest = withChanges(await readSettings(tx, group, keyRing()), changes);
        validate(latest.settings, latest.secrets);
        await writeSettings(tx, group, { changes, ring: keyRing(), by: request.caller.userId });
        await recordOperation({ tx, outbox, request }, action, { changed: given.toSorted().join(', ') });
      });
      return await read();
    },
  };
}

export type SettingsService<S extends BackupSettings | MirrorSettings> = ReturnType<typeof createSettingsService<S>>;
