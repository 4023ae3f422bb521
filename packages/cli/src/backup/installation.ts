import type { Manifest } from '@overtone/backup';
import type { ObjectStoreEnv } from '@overtone/object-store';
import type { Terminal } from '../terminal.ts';

/** The owner's address of a database on the server of the installation. */
export type UrlOf = (database: string) => string;

/** What is backed up and restored: an instance in a data folder, or the servers that the environment names. */
export type Installation = {
  readonly database: string;
  /** A folder or `s3://bucket/prefix`. @throws Refusal when none is set. */
  readonly backupsPlace: () => string;
  /** The text of ENCRYPTION_KEY. */
  readonly encryptionKey: () => string;
  /** Where people find the encryption key. */
  readonly keyPlace: string;
  /** @throws Error when no object store is set. */
  readonly objectStore: () => ObjectStoreEnv;
  /** Runs work with the database server; other backups and restores of the installation wait. */
  readonly withServer: <T>(work: (urlOf: UrlOf) => Promise<T>) => Promise<T>;
  /** The same while no service uses the database. @throws Refusal when services cannot be stopped. */
  readonly withServicesStopped: <T>(work: (urlOf: UrlOf) => Promise<T>) => Promise<T>;
  /** Checks before anything is touched. @throws Refusal space_short, keys_missing, bus_unavailable. */
  readonly checkRestore: (planned: PlannedRestore) => Promise<void>;
  /** Deletes the state of the broker, the caches and the index, and stores the keys; called before the swap. */
  readonly prepareSwap: (keys: string, terminal: Terminal) => Promise<void>;
  /** Records which version has written the database. */
  readonly recordVersion: (version: string) => void;
  /** Absent where the services are started by other means than this program. */
  readonly start?: () => Promise<void>;
  /** How a person starts the services. */
  readonly startCommands: readonly string[];
};

export type PlannedRestore = { readonly manifest: Manifest; readonly keys: string; readonly safetyDump: boolean };
