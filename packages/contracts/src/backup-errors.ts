/** Error codes of backups and the media mirror, with their kinds. */
export const backupErrors = {
  destination_missing: 'invalid',
  destination_unavailable: 'invalid',
  destination_full: 'invalid',
  destination_same: 'invalid',
  passphrase_required: 'invalid',
  backup_running: 'conflict',
  mirror_running: 'conflict',
} as const;
