/** Why a backup was not made or a restore was refused. Codes are stable; the message is a sentence for a person. */
export type BackupErrorCode =
  | 'destination_unavailable'
  | 'destination_full'
  | 'backup_missing'
  | 'backup_damaged'
  | 'manifest_invalid'
  | 'backup_unverified'
  | 'passphrase_missing'
  | 'passphrase_wrong'
  | 'program_missing'
  | 'dump_failed'
  | 'database_unavailable'
  | 'schema_too_new'
  | 'keys_missing'
  | 'keys_invalid'
  | 'space_short'
  | 'services_running'
  | 'replay_failed'
  | 'schema_foreign'
  | 'content_differs'
  | 'no_administrator'
  | 'rights_missing'
  | 'swap_unknown';

export class BackupError extends Error {
  override readonly name = 'BackupError';
  readonly code: BackupErrorCode;

  constructor(code: BackupErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
