import { isAbsolute } from 'node:path';
import type { BackupSettings, MirrorSettings } from '@overtone/contracts';
import { scheduleFault } from '@overtone/jobs';
import { invalid } from '@overtone/service-kit';

const noDestination = {
  destination_type: 'folder',
  destination: '',
  s3_endpoint_url: '',
  s3_region: 'us-east-1',
  s3_bucket: '',
  s3_access_key_id: '',
} as const;

export const backupDefaults: BackupSettings = {
  enabled: false,
  schedule: '0 3 * * *',
  ...noDestination,
  s3_prefix: '',
  retention_daily: 7,
  retention_weekly: 4,
  retention_monthly: 12,
  encrypt: false,
};
export const mirrorDefaults: MirrorSettings = {
  enabled: false,
  schedule: '30 3 * * *',
  ...noDestination,
  throttle_mb_per_second: null,
};

/** Secrets of the settings; null: not set, or sealed with a key that is missing. */
export type Secrets = { s3_secret_key: string | null; passphrase: string | null };
export const secretNames = ['s3_secret_key', 'passphrase'] as const;

type Common = BackupSettings | MirrorSettings;
export type Stored<S extends Common> = {
  settings: S;
  secrets: Secrets;
  /** When the schedule was last switched on or changed: earlier times of it are not due. */
  scheduledSince: Date | null;
};
/** Undefined leaves a value, null clears a secret. */
export type Changes<S extends Common> = { [K in keyof S]?: S[K] | undefined } & {
  [K in keyof Secrets]?: string | null | undefined;
};

export function withChanges<S extends Common>({ settings, secrets }: Stored<S>, changes: Changes<S>) {
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const { s3_secret_key: s3Secret = secrets.s3_secret_key, passphrase = secrets.passphrase, ...fields } = given;
  return {
    settings: { ...settings, ...fields } as S,
    secrets: { s3_secret_key: s3Secret, passphrase } as Secrets,
  };
}

/** Whether enough is set to know where the destination is. */
export function hasDestination(settings: Common, { s3_secret_key: secret }: Secrets): boolean {
  if (settings.destination_type === 'folder') return settings.destination !== '';
  const { s3_endpoint_url: endpoint, s3_bucket: bucket, s3_access_key_id: keyId } = settings;
  return endpoint !== '' && bucket !== '' && keyId !== '' && secret !== null;
}

const destinationNames: readonly string[] = [...Object.keys(noDestination), 's3_prefix', 's3_secret_key'];

/** Whether the changes need a test of the destination before they are saved. */
export function concernsDestination<S extends Common>(changes: Changes<S>): boolean {
  return changes.enabled === true || Object.keys(changes).some((name) => destinationNames.includes(name));
}

/** A secret is sent only to the server that it was entered for. @throws AppError secret_required. */
export function requireSecretOfServer<S extends Common>({ settings, secrets }: Stored<S>, changes: Changes<S>): void {
  const { s3_endpoint_url: endpoint, s3_secret_key: given } = changes;
  if (endpoint === undefined || endpoint === settings.s3_endpoint_url || secrets.s3_secret_key === null) return;
  if (given === undefined)
    throw invalid('secret_required', 'Enter the secret key again: it is for another server.', {
      errors: [{ path: 's3_secret_key', message: 'Enter the secret key of this server.' }],
    });
}

/** @throws AppError schedule_invalid, destination_missing, destination_unavailable, passphrase_required. */
export function validate(settings: Common, secrets: Secrets): void {
  const fault = scheduleFault(settings.schedule);
  if (fault) throw invalid('schedule_invalid', fault, { errors: [{ path: 'schedule', message: fault }] });
  if (settings.destination_type === 'folder' && settings.destination !== '' && !isAbsolute(settings.destination))
    throw invalid('destination_unavailable', 'The destination must be the full path of a folder, such as /backups.', {
      errors: [{ path: 'destination', message: 'It must begin with a slash.' }],
    });
  if (settings.enabled && !hasDestination(settings, secrets))
    throw invalid('destination_missing', 'There is no destination yet.');
  if ('encrypt' in settings && settings.encrypt && secrets.passphrase === null)
    throw invalid('passphrase_required', 'Encrypted backups need a passphrase.', {
      errors: [{ path: 'passphrase', message: 'Enter a passphrase.' }],
    });
}
