export { withdrawRights, type Withdrawn } from './after-restore.ts';
export { allSettled, inBatches } from './batches.ts';
export {
  createBackup,
  deleteAbandoned,
  deleteExpired,
  keysEnding,
  listBackups,
  type BackupOptions,
  type StoredBackup,
} from './backup.ts';
export { hasTable, withClient } from './client.ts';
export {
  makeFolder,
  openDestination,
  probeFolder,
  readText,
  newFolderDisk,
  withoutNewFolders,
  type Destination,
  type DestinationOptions,
  type S3Destination,
} from './destination.ts';
export { BackupError, type BackupErrorCode } from './errors.ts';
export { keyFingerprints, readKeys, withRecoveredKeys } from './keys.ts';
export { manifestEnding, readManifest, verifyMaker, writeManifest, type Manifest } from './manifest.ts';
export { restoreMedia, type MediaReport } from './media.ts';
export { compareObjects, type ObjectReport } from './objects.ts';
export { findPrograms, type Programs } from './programs.ts';
export { databaseExists, swapDatabases, type RestoreTarget } from './databases.ts';
export { backupNameOf, checkBackup, checkPassphrase, replay } from './restore.ts';
export { defaultRetention, expired, type Retention } from './retention.ts';
