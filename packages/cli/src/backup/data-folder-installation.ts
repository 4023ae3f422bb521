import { rmSync } from 'node:fs';
import { objectStoreEnv } from '@overtone/object-store';
import { readEnv } from '@overtone/service-kit/env';
import { markFolder } from '@overtone/service-kit/folder-marker';
import { down } from '../commands/down.command.ts';
import { up } from '../commands/up.command.ts';
import { replaceFile } from '../files.ts';
import { isLocked, withLock } from '../lock.ts';
import type { DataFolder } from '../paths.ts';
import { Refusal } from '../refusal.ts';
import { databaseName, maxWalMebibytes } from '../servers/postgres.ts';
import { freeBytes } from '../setup/preflight.ts';
import { secretsIn } from '../setup/secrets.ts';
import { instanceLock, setupLock } from '../supervisor/run-instance.ts';
import type { Installation, PlannedRestore } from './installation.ts';
import { megabytes } from './sizes.ts';
import { withPostgres } from './with-postgres.ts';

/** The instance in a data folder. `data` is the folder as it was given on the command line. */
export function openDataFolder(folder: DataFolder, data: string | undefined): Installation {
  const secrets = secretsIn(folder.secrets);
  const option = data === undefined ? {} : { data };
  return {
    database: databaseName,
    backupsPlace: () => folder.backups,
    encryptionKey: () => secrets.read('encryption_key'),
    keyPlace: secrets.file('encryption_key'),
    objectStore: () => ({ OBJECT_STORE_DIR: folder.objects, ...readEnv(objectStoreEnv) }),
    withServer: async (work) =>
      await withLock(setupLock(folder), async () => await withPostgres(folder, async (urlOf) => await work(urlOf))),
    withServicesStopped: async (work) =>
      await withLock(setupLock(folder), async () => {
        // Under the lock: it would also stop the database of another restore.
        await down(option);
        if (await isLocked(instanceLock(folder)))
          throw new Refusal(
            'Overtone is still running, and nothing was replaced. Stop it with ./overtone down and try again.',
          );
        return await withPostgres(folder, async (urlOf) => await work(urlOf));
      }),
    checkRestore: async (planned) => await Promise.resolve(checkSpace(planned, folder)),
    prepareSwap: async (keys) => {
      for (const state of [folder.nats, folder.redis, folder.search]) rmSync(state, { recursive: true, force: true });
      // The index is made again from the database.
      await markFolder(folder.search);
      replaceFile(secrets.file('encryption_key'), `${keys}\n`);
    },
    // A version as old as the backup may open the data folder again.
    recordVersion: (version) => replaceFile(folder.version, `${version}\n`),
    start: async () => await up({ ...option, detach: true }),
    startCommands: [`./overtone up${data === undefined ? '' : ` --data '${data}'`}`],
  };
}

function checkSpace({ manifest, safetyDump }: PlannedRestore, folder: DataFolder): void {
  // Both databases and the log of the replay exist until the swap; the safety dump is about as large as the backup.
  const needed =
    manifest.database_bytes * 1.2 +
    (safetyDump ? manifest.dump.bytes * 1.5 : 0) +
    (maxWalMebibytes + 200) * 1024 * 1024;
  const free = freeBytes(folder.root);
  if (free >= needed) return;
  throw new Refusal(
    `The restore needs ${megabytes(needed)} on the disk of ${folder.root}, and ${megabytes(free)} are free. Nothing was touched. (space_short)`,
  );
}
