import { msg } from '@lingui/core/macro';
import type { backupGroup, mirrorGroup, SettingValues } from '@overtone/contracts';
import { translateOnRead } from '../../lib/language.ts';
import { scheduleLabel } from '../settings/schedule.ts';
import type { SettingEdits } from '../settings/items.ts';
import type { SettingLabel } from '../settings/setting-field.tsx';

type Labels<K extends string> = Readonly<Record<K, SettingLabel>>;
type BackupKey = keyof SettingValues<typeof backupGroup>;
type MirrorKey = keyof SettingValues<typeof mirrorGroup>;

const destination = {
  destination_type: { label: msg`Destination`, choices: { folder: msg`Folder`, s3: msg`S3 bucket` } },
  s3_endpoint_url: { label: msg`Address of the S3 server`, description: msg`Such as https://s3.example.org` },
  s3_region: { label: msg`Region` },
  s3_bucket: { label: msg`Bucket` },
  s3_access_key_id: { label: msg`Access key` },
  s3_secret_key: { label: msg`Secret key` },
};
const backupLabels: Labels<Exclude<BackupKey, 'schedule'>> = translateOnRead({
  enabled: {
    label: msg`Scheduled backups`,
    description: msg`The recordings are not part of a backup: the media mirror copies them.`,
  },
  ...destination,
  destination: {
    label: msg`Path of the folder`,
    description: msg`The full path of a folder on another disk or host, such as /mnt/backup.`,
  },
  s3_prefix: { label: msg`Prefix`, description: msg`Every instance needs a prefix of its own.` },
  retention_daily: { label: msg`Daily`, description: msg`Keeps the newest backup of each of this many days.` },
  retention_weekly: { label: msg`Weekly`, description: msg`Keeps the newest backup of each of this many weeks.` },
  retention_monthly: { label: msg`Monthly`, description: msg`Keeps the newest backup of each of this many months.` },
  encrypt: {
    label: msg`Encrypt backups`,
    description: msg`With a passphrase, in the age format. An encrypted backup also contains the encryption keys of the stored secrets.`,
  },
  passphrase: {
    label: msg`Passphrase`,
    description: msg`At least 12 characters, better six random words. Keep it elsewhere, too: without it no encrypted backup can be read.`,
  },
});
const mirrorLabels: Labels<Exclude<MirrorKey, 'schedule'>> = translateOnRead({
  enabled: {
    label: msg`Scheduled runs`,
    description: msg`A run copies recordings that are new or differ. It never deletes anything in the mirror.`,
  },
  ...destination,
  destination: {
    label: msg`Path of the folder`,
    description: msg`The full path of a folder on another disk or host, such as /mnt/mirror.`,
  },
  throttle_mb_per_second: {
    label: msg`Speed limit`,
    description: msg`In megabytes a second. Leave blank for no limit.`,
    placeholder: msg`No limit`,
  },
});

/** Texts of the settings of backups that the form shows with these values. */
export function shownBackupLabels(values: SettingEdits, hasPassphrase: boolean): Partial<Labels<BackupKey>> {
  const { passphrase, ...labels } = { ...backupLabels, schedule: scheduleLabel(values['schedule']) };
  return { ...withDestination(labels, values), ...(values['encrypt'] === true || hasPassphrase ? { passphrase } : {}) };
}

/** Texts of the settings of the media mirror that the form shows with these values. */
export function shownMirrorLabels(values: SettingEdits): Partial<Labels<MirrorKey>> {
  return withDestination({ ...mirrorLabels, schedule: scheduleLabel(values['schedule']) }, values);
}

/** Without the settings of the other type of destination. */
function withDestination<L extends object>(labels: L, values: SettingEdits): Partial<L> {
  const isFolder = values['destination_type'] !== 's3';
  return Object.fromEntries(
    Object.entries(labels).filter(([key]) => (isFolder ? !key.startsWith('s3_') : key !== 'destination')),
  ) as Partial<L>;
}
