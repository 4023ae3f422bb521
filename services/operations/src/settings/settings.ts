import type { BackupSettings, backupGroup, mirrorGroup, MirrorSettings, SettingChanges } from '@overtone/contracts';
import { scheduleFault } from '@overtone/jobs';
import { invalid } from '@overtone/service-kit';

export type SettingsGroup = typeof backupGroup | typeof mirrorGroup;

/** Secrets of the settings; null: not set, or sealed with a key that is missing. */
export type Secrets = { s3_secret_key: string | null; passphrase: string | null };

type Common = BackupSettings | MirrorSettings;
export type Stored<S extends Common> = {
  settings: S;
  secrets: Secrets;
  /** When the schedule was last switched on or changed: earlier times of it are not due. */
  scheduledSince: Date | null;
};
/** Undefined leaves a value, null removes the stored one. */
export type Changes = SettingChanges<typeof backupGroup> & SettingChanges<typeof mirrorGroup>;

/** Separates the secrets from the other settings. */
export function splitSecrets<S extends Common>(values: object): { settings: S; secrets: Secrets } {
  const { s3_secret_key: s3Secret, passphrase = null, ...settings } = values as Record<string, string | null>;
  return { settings: settings as unknown as S, secrets: { s3_secret_key: s3Secret ?? null, passphrase } };
}

/** Whether enough is set to know where the destination is. */
export function hasDestination(settings: Common, secrets: Secrets): boolean {
  return missingOf(settings, secrets) === undefined;
}

/** The first setting that the destination lacks. */
function missingOf(settings: Common, { s3_secret_key: secret }: Secrets): string | undefined {
  if (settings.destination_type === 'folder') return settings.destination === '' ? 'destination' : undefined;
  const needed = ['s3_endpoint_url', 's3_bucket', 's3_access_key_id'] as const;
  return needed.find((name) => settings[name] === '') ?? (secret === null ? 's3_secret_key' : undefined);
}

/** The setting that a failure of the destination belongs to. */
export function destinationField({ destination_type: type }: Common): string {
  return type === 'folder' ? 'destination' : 's3_endpoint_url';
}

const destinationNames: readonly string[] = [
  'destination_type',
  'destination',
  's3_endpoint_url',
  's3_region',
  's3_bucket',
  's3_access_key_id',
  's3_prefix',
  's3_secret_key',
];

/** Whether the changes need a test of the destination before they are saved. */
export function concernsDestination(changes: Changes): boolean {
  return changes.enabled === true || Object.keys(changes).some((name) => destinationNames.includes(name));
}

/** A secret is sent only to the server that it was entered for. @throws AppError secret_required. */
export function requireSecretOfServer<S extends Common>({ settings, secrets }: Stored<S>, changes: Changes): void {
  const { s3_endpoint_url: endpoint, s3_secret_key: given } = changes;
  if (endpoint === undefined || endpoint === settings.s3_endpoint_url || secrets.s3_secret_key === null) return;
  if (given === undefined)
    throw invalid('secret_required', 'Enter the secret key again: it is for another server.', {
      errors: [{ path: 's3_secret_key', message: 'Enter the secret key of this server.' }],
    });
}

/** @throws AppError schedule_invalid, destination_missing, passphrase_required. */
export function validate(settings: Common, secrets: Secrets): void {
  const fault = scheduleFault(settings.schedule);
  if (fault) throw invalid('schedule_invalid', fault, { errors: [{ path: 'schedule', message: fault }] });
  const missing = missingOf(settings, secrets);
  if (settings.enabled && missing !== undefined)
    throw invalid('destination_missing', 'There is no destination yet.', {
      errors: [{ path: missing, message: 'A schedule needs a destination.' }],
    });
  if ('encrypt' in settings && settings.encrypt && secrets.passphrase === null)
    throw invalid('passphrase_required', 'Encrypted backups need a passphrase.', {
      errors: [{ path: 'passphrase', message: 'Enter a passphrase.' }],
    });
}
