import { topology } from '@overtone/contracts';
import { databaseServices, roleOf } from '../supervisor/environment.ts';
import type { ServiceVariables } from '../configuration/service-variables.ts';
import { busConfig, busPassword, databasePassword, passwordNames, type Values } from './container.ts';

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
/** Secrets that are given only to the services listed here. */
const secretsOfSome = new Set(['ENCRYPTION_KEY', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY', 'REDIS_URL']);
const storesObjects = new Set(['media', 'transcription-worker', 'operations']);
const seals = new Set(['identity', 'directory-sync', 'media', 'operations', 'insights', 'transcription-dispatcher']);

/** What manifests and images set for their pods; a value of `.env` would not reach the pod, or break it. */
export const setByManifests: readonly string[] = [
  'API_PORT',
  'INTERNAL_PORT',
  'MODEL_CACHE_DIR',
  'NATS_USER',
  'NODE_COMPILE_CACHE',
  'SERVICE_HOST',
  'UI_DIR',
  'WORKER_QUEUES',
  'WORK_DIR',
];
/** Made here from other values, for each service. */
const composed = ['DATABASE_URL', 'NATS_PASSWORD'];
/** Written by `config container` for compose.yaml; Kubernetes has its own place for them. */
const generatedForCompose = [
  'OT_IMAGE_TAG',
  'GRAFANA_ADMIN_PASSWORD',
  'WORKER_CPUS',
  'WORKER_MEMORY',
  'SEARCH_CPUS',
  'SEARCH_HEAP',
  'SEARCH_MEMORY',
];
const ofMigration = ['AUDIT_LOG_RETENTION_DAYS', 'DB_POOL_SIZE', 'DB_MAX_OVERFLOW'];
const ofTools = /^(OT_(BACKUP|MIRROR)_|ELASTICSEARCH_|S3_|NATS_URL$|ENCRYPTION_KEY$)/;
const ofTheAddress = ['POSTGRES_USER', 'POSTGRES_ADDRESS', 'POSTGRES_DATABASE', 'POSTGRES_PARAMETERS'];

/** The names in `.env` that no pod would receive, each with the reason. */
export function refusedValues(values: Values, variables: ServiceVariables): string[] {
  const used = new Set([
    ...passwordNames,
    ...ofTheAddress,
    ...ofMigration,
    ...generatedForCompose,
    'PG_MAX_CONNECTIONS',
  ]);
  const known = new Set([...variables.values()].flatMap((shape) => Object.keys(shape)));
  const reasonFor = (name: string): string | undefined => {
    if (setByManifests.includes(name)) return 'is set in k8s; change it in an overlay';
    if (composed.includes(name)) return 'is made for each service from the other values';
    if (used.has(name) || known.has(name) || /^OT_(BACKUP|MIRROR)_/.test(name)) return undefined;
    if (known.has(name.replace(/_FILE$/, ''))) return `names a file that no pod has; set ${name.replace(/_FILE$/, '')}`;
    return 'is read by no pod in Kubernetes';
  };
  return Object.keys(values).flatMap((name) => {
    const reason = values[name] === '' ? undefined : reasonFor(name);
    return reason === undefined ? [] : [`${name} ${reason}`];
  });
}

function given(values: Values, isWanted: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => value !== '' && isWanted(name)));
}

/**
 * The variables of `.env` that a service reads, and its secrets: only those that it needs. A pod's secret takes precedence over
 * the ConfigMaps before it.
 */
export function secretsOf(service: string, values: Values, variables: ServiceVariables): Record<string, string> {
  const read = variables.get(service) ?? {};
  const isSecretOfAnother = (name: string) => secretsOfSome.has(name) || composed.includes(name);
  const take = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, values[name] ?? '']));
  return {
    ...given(values, (name) => name in read && !isSecretOfAnother(name) && !setByManifests.includes(name)),
    NATS_PASSWORD: values[busPassword(service)] ?? '',
    ...(databaseServices.includes(service)
      ? { DATABASE_URL: databaseUrlFor(roleOf(service), values[databasePassword(service)], values) }
      : {}),
    ...(knowsCallers.has(service) ? take(['ASSERTION_PUBLIC_KEY']) : {}),
    ...(storesObjects.has(service) ? take(['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY']) : {}),
    ...(seals.has(service) ? take(['ENCRYPTION_KEY']) : {}),
    ...(service === 'identity' ? take(['JWT_SECRET_KEY', 'OT_ADMIN_EMAIL', 'OT_ADMIN_PASSWORD']) : {}),
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
    ...given(values, (name) => ofMigration.includes(name)),
    ...Object.fromEntries(passwords.map((name) => [name, values[name] ?? ''])),
  };
}

/** Environment of backups and restores by hand: the owner of the database and of the streams, and where backups are kept. */
export function toolsSecrets(values: Values): Record<string, string> {
  return {
    DATABASE_URL: ownerUrl(values),
    NATS_PASSWORD: values[busPassword('transcription-dispatcher')] ?? '',
    ...given(values, (name) => ofTools.test(name)),
  };
}

/** Secrets of the services and of the servers of the single-node overlay, and the users of the bus. */
export function configObjects(values: Values, variables: ServiceVariables): ConfigObject[] {
  const services = Object.keys(topology);
  const own = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, values[name] ?? '']));
  const objects = {
    ROOT_ACCESS_KEY: values['S3_ACCESS_KEY_ID'] ?? '',
    ROOT_SECRET_KEY: values['S3_SECRET_ACCESS_KEY'] ?? '',
  };
  return [
    ...services.map((service) => secret(service, secretsOf(service, values, variables))),
    secret('migrate', migrationSecrets(values)),
    secret('tools', toolsSecrets(values)),
    secret('postgres', { ...own(['POSTGRES_PASSWORD']), ...given(values, (name) => name === 'PG_MAX_CONNECTIONS') }),
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
