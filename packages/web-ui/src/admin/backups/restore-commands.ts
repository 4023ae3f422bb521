import type { BackupSettings } from '@overtone/contracts';

type Place = Pick<
  BackupSettings,
  'destination_type' | 'destination' | 's3_endpoint_url' | 's3_region' | 's3_bucket' | 's3_prefix' | 's3_access_key_id'
>;
type StoredBackup = { readonly filename: string; readonly encrypted: boolean };

/**
 * The commands that list the backups of a destination and restore one of them.
 * @param dataFolder null: the default one
 */
export function restoreCommands(
  settings: Place,
  { filename, encrypted }: StoredBackup,
  dataFolder: string | null,
): string[] {
  const place = placeOf(settings);
  return [
    ...(settings.destination_type === 's3'
      ? [
          `export OT_BACKUP_S3_ENDPOINT=${quote(settings.s3_endpoint_url)}`,
          `export OT_BACKUP_S3_REGION=${quote(settings.s3_region)}`,
          `export OT_BACKUP_S3_ACCESS_KEY_ID=${quote(settings.s3_access_key_id)}`,
          'export OT_BACKUP_S3_SECRET_ACCESS_KEY_FILE=secret-key.txt',
        ]
      : []),
    ...(encrypted ? ['export OT_BACKUP_PASSPHRASE_FILE=passphrase.txt'] : []),
    `./overtone backups${dataOption(dataFolder)} --from ${quote(place)}`,
    `./overtone restore${dataOption(dataFolder)} ${quote(`${place}/${filename}`)}`,
  ];
}

function placeOf({ destination_type: type, destination, s3_bucket: bucket, s3_prefix: prefix }: Place): string {
  if (type === 'folder') return destination === '/' ? '' : destination.replace(/(?<!\/)\/+$/, '');
  return prefix === '' ? `s3://${bucket}` : `s3://${bucket}/${prefix}`;
}

/** Copies the recordings of the mirror back to the object store. */
export function mirrorCommand(dataFolder: string | null): string {
  return `./overtone restore${dataOption(dataFolder)} --media-from-mirror`;
}

function dataOption(dataFolder: string | null): string {
  return dataFolder === null ? '' : ` --data ${quote(dataFolder)}`;
}

/** A word of a shell command. */
export function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
