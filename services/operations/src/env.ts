import { isAbsolute } from 'node:path';
import { findPrograms, type Programs } from '@overtone/backup';
import { databaseEnv } from '@overtone/database';
import { objectStoreEnv } from '@overtone/object-store';
import {
  assertionEnv,
  busEnv,
  defineEnv,
  keyRingEnv,
  readEnv,
  readKeyRing,
  serviceEnv,
  type KeyRing,
} from '@overtone/service-kit';
import { outboundEnv } from '@overtone/service-kit/outbound';
import { z } from 'zod';

const operationsEnv = {
  ...serviceEnv,
  ...busEnv,
  ...databaseEnv,
  ...assertionEnv,
  ...objectStoreEnv,
  ...outboundEnv,
  /** Folders below which backups and the media mirror may be kept, separated by colons. */
  OT_BACKUP_ROOTS: z
    .string()
    .refine((list) => list.split(':').every((root) => root === '' || isAbsolute(root)))
    .describe('full paths of folders, separated by colons')
    .default('/mnt:/media:/srv:/var/backups:/backups')
    .transform((list) => list.split(':').filter((root) => root !== '')),
  /** The data folder to name in commands; absent: the default one, or servers of your own. */
  OT_DATA_FOLDER: z.string().refine(isAbsolute).describe('the full path of a folder').optional(),
  /** The folder of pg_dump; without it the newest that is installed is used. */
  PG_BIN_DIR: z.string().optional(),
};

/** The text of ENCRYPTION_KEY and its keys. */
export type EncryptionKeys = { text: string; ring: KeyRing };
export type OperationsEnv = z.infer<z.ZodObject<typeof operationsEnv>> & {
  /** Read again at every call: a mounted key file may be replaced while the service runs. */
  keys: () => EncryptionKeys;
  /** Looked up at every call: a package may be installed while the service runs. */
  programs: () => Programs | undefined;
};

/** @throws Error naming every variable that is missing or malformed. */
export const env = defineEnv({ ...operationsEnv, ...keyRingEnv }, (source): OperationsEnv => {
  const parsed = readEnv(operationsEnv, source);
  const keys = () => ({ text: readEnv(keyRingEnv, source).ENCRYPTION_KEY, ring: readKeyRing(source) });
  keys();
  return Object.freeze({ ...parsed, keys, programs: () => findPrograms(parsed.PG_BIN_DIR, source['PATH']) });
});
