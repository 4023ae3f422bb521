export { createBackup, deleteExpired, listBackups, type BackupOptions, type StoredBackup } from './backup.ts';
export { withClient } from './client.ts';
export {
  openDestination,
  readText,
  type Destination,
  type DestinationOptions,
  type S3Destination,
} from './destination.ts';
export { BackupError, type BackupErrorCode } from './errors.ts';
export { keyFingerprints, withRecoveredKeys } from './keys.ts';
export { manifestEnding, type Manifest } from './manifest.ts';
export type { Programs } from './programs.ts';
export { backupNameOf, checkBackup, clearRestore, replay, swapDatabases, type RestoreTarget } from './restore.ts';
export { defaultRetention, expired, type Retention } from './retention.ts';
