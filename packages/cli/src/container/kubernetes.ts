import { topology } from '@overtone/contracts';
import { databaseServices, roleOf } from '../supervisor/environment.ts';
import { busConfig, busPassword, databasePassword, type Values } from './container.ts';

/** An object of Kubernetes, as far as we make them. */
export type ConfigObject = {
  readonly apiVersion: 'v1';
  readonly kind: 'Secret' | 'ConfigMap';
  /** Of a secret; opaque without it. */
  readonly type?: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly stringData?: Values;
  readonly data?: Values;
};

const knowsCallers = new Set([...databaseServices, 'realtime-gateway']);
const storesObjects = new Set(['media', 'transcription-worker', 'operations']);
const seals = new Set(['identity', 'directory-sync', 'media', 'operations', 'insights', 'transcription-dispatcher']);

/** Variables that seed the sign-in settings; some of them are secrets. */
const signInSeed = /^(LDAP|OIDC|KEYCLOAK|PKI|PROXY)_/;

/** The secrets of a service, by the name of the variable it reads: only those that it needs. */
export function secretsOf(service: string, values: Values): Record<string, string> {
  const seeds = Object.keys(values).filter((name) => signInSeed.test(name));
  const take = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, values[name] ?? '']));
  return {
    NATS_PASSWORD: values[busPassword(service)] ?? '',
    ...((databaseServices as readonly string[]).includes(service)
      ? { DATABASE_URL: databaseUrlFor(roleOf(service), values[databasePassword(service)], values) }
      : {}),
    ...(knowsCallers.has(service) ? take(['ASSERTION_PUBLIC_KEY']) : {}),
    ...(storesObjects.has(service) ? take(['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY']) : {}),
    ...(seals.has(service) ? take(['ENCRYPTION_KEY']) : {}),
    ...(service === 'identity' ? take(['JWT_SECRET_KEY', 'OT_ADMIN_EMAIL', 'OT_ADMIN_PASSWORD', ...seeds]) : {}),
    ...(service === 'edge-gateway'
      ? {
          ...take(['ASSERTION_PRIVATE_KEY']),
          REDIS_URL: values['REDIS_URL'] ?? `redis://:${values['REDIS_PASSWORD'] ?? ''}@redis:6379/0`,
        }
      : {}),
  };
}

/** Environment of the migration: it connects as the owner, sets the roles' passwords and stores the audit retention. */
export function migrationSecrets(values: Values): Record<string, string> {
  const passwords = databaseServices.map(databasePassword);
  return {
    DATABASE_URL: ownerUrl(values),
    ...(values['AUDIT_LOG_RETENTION_DAYS'] ? { AUDIT_LOG_RETENTION_DAYS: values['AUDIT_LOG_RETENTION_DAYS'] } : {}),
    ...Object.fromEntries(passwords.map((name) => [name, values[name] ?? ''])),
  };
}

/** Environment of backups and restores by hand: the owner of the database and of the streams, and where backups are kept. */
export function toolsSecrets(values: Values): Record<string, string> {
  const named = ['ENCRYPTION_KEY', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'];
  const places = Object.keys(values).filter((name) => /^OT_(BACKUP|MIRROR)_/.test(name));
  return {
    DATABASE_URL: ownerUrl(values),
    NATS_PASSWORD: values[busPassword('transcription-dispatcher')] ?? '',
    ...Object.fromEntries([...named, ...places].map((name) => [name, values[name] ?? ''])),
  };
}

/** Secrets of the services and of the servers of the single-node overlay, and the users of the bus. */
export function configObjects(values: Values): ConfigObject[] {
  const services = Object.keys(topology);
  const own = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, values[name] ?? '']));
  const objects = {
    ROOT_ACCESS_KEY: values['S3_ACCESS_KEY_ID'] ?? '',
    ROOT_SECRET_KEY: values['S3_SECRET_ACCESS_KEY'] ?? '',
  };
  return [
    ...services.map((service) => secret(service, secretsOf(service, values))),
    secret('migrate', migrationSecrets(values)),
    secret('tools', toolsSecrets(values)),
    secret('postgres', own(['POSTGRES_PASSWORD'])),
    // Read by CloudNativePG, when it creates the database.
    {
      ...secret('postgres-owner', {
        username: values['POSTGRES_USER'] ?? 'overtone',
        password: values['POSTGRES_PASSWORD'] ?? '',
      }),
      type: 'kubernetes.io/basic-auth',
    },
    secret('nats', own(services.map(busPassword))),
    secret('redis', own(['REDIS_PASSWORD'])),
    secret('objects', objects),
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata('nats'), data: { 'nats.conf': busConfig() } },
  ];
}

function ownerUrl(values: Values): string {
  return databaseUrlFor(values['POSTGRES_USER'] ?? 'overtone', values['POSTGRES_PASSWORD'], values);
}

function databaseUrlFor(user: string, password = '', values: Values): string {
  const { POSTGRES_ADDRESS: address = 'postgres:5432', POSTGRES_DATABASE: database = 'overtone' } = values;
  const parameters = values['POSTGRES_PARAMETERS'] ? `?${values['POSTGRES_PARAMETERS']}` : '';
  return `postgresql://${user}:${password}@${address}/${database}${parameters}`;
}

function metadata(name: string) {
  return { name: `overtone-${name}`, labels: { 'app.kubernetes.io/part-of': 'overtone' } };
}

function secret(name: string, stringData: Values): ConfigObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: metadata(name),
    stringData,
  };
}
