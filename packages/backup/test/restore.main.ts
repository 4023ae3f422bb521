import { openDestination } from '../src/destination.ts';
import { withdrawRights } from '../src/after-restore.ts';
import { swapDatabases, type RestoreTarget } from '../src/databases.ts';
import { checkBackup, replay } from '../src/restore.ts';
import { encryptionKey } from './encryption-key.ts';
import { programs } from './programs.ts';

// A restore in a process of its own, which a test kills.
const { folder, name, adminUrl, database, presentUrl } = JSON.parse(process.argv[2] ?? '') as RestoreTarget & {
  folder: string;
  name: string;
  presentUrl: string;
};
const destination = openDestination({ folder });
const manifest = await checkBackup(destination, name);
const scratchUrl = await replay({ adminUrl, database, manifest, destination, programs });
const backupCreatedAt = new Date(manifest.created_at);
await withdrawRights({
  scratchUrl,
  presentUrl,
  backupName: name,
  backupCreatedAt,
  awaitDirectorySync: true,
  encryptionKey,
});
await swapDatabases({ adminUrl, database });
