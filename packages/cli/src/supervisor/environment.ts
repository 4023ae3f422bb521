import { fittingOverflow, specifiedConnections } from '@overtone/database/connections';
import { databaseRoles } from '@overtone/database/migrate';
import { compileCache, dataFolder, type DataFolder } from '../paths.ts';
import type { Instance } from '../setup/instance.ts';
import type { Secrets } from '../setup/secrets.ts';
import { redisUrl } from '../servers/redis.ts';

/** The inputs for the environment of a service. */
export type EnvironmentSource = {
  readonly folder: DataFolder;
  readonly instance: Instance;
  readonly secrets: Secrets;
  readonly uiFolder: string;
  /** The caller's variables are passed to the services; those set here take precedence. */
  readonly caller: Readonly<Record<string, string | undefined>>;
  /** The file with the first administrator's password, until the first start. */
  readonly adminPasswordFile?: string;
};

/** The services that own tables: each connects with the role of its name. */
export const databaseServices: readonly string[] = databaseRoles.map((role) => role.replaceAll('_', '-'));

/** The services the edge sends requests to. */
const behindTheEdge = [...databaseServices, 'realtime-gateway'];
const withObjects = new Set(['media', 'transcription-worker', 'search-indexer', 'operations']);
/** The services that encrypt or decrypt secrets of the settings. */
const withSecrets = new Set([
  'identity',
  'directory-sync',
  'media',
  'operations',
  'insights',
  'transcription-dispatcher',
]);
const forIdentityOnly = ['OT_ADMIN_EMAIL', 'OT_ADMIN_PASSWORD', 'OT_ADMIN_PASSWORD_FILE'];

/** Secrets for initial settings; no other service needs them. */
const secretSeeds = ['LDAP_BIND_PASSWORD', 'OIDC_CLIENT_SECRET', 'KEYCLOAK_CLIENT_SECRET', 'PROXY_SHARED_SECRET'];

/** The name of the database role of a service. */
export function roleOf(service: string) {
  return service.replaceAll('-', '_');
}

/** The address of one listener of a service. */
export function listenerUrl(instance: Instance, service: string, listener: 'api' | 'internal'): string {
  const port =
    listener === 'api' && service === 'edge-gateway' ? instance.port : instance.ports[`${service}.${listener}`];
  return `http://127.0.0.1:${port}`;
}

/** The environment of a service. */
export function serviceEnvironment(service: string, source: EnvironmentSource): Record<string, string> {
  return { ...fromCaller(service, source), ...forAll(service, source), ...forSome(service, source) };
}

/** The address of the database for a role. */
export function databaseUrl({ instance, secrets }: Pick<EnvironmentSource, 'instance' | 'secrets'>, role: string) {
  const password = encodeURIComponent(secrets.read(`db_${role}`));
  return `postgresql://${role}:${password}@127.0.0.1:${instance.ports['postgres']}/overtone`;
}

function isFor(service: string, name: string) {
  return (
    !forIdentityOnly.includes(name) &&
    (service === 'operations' || !/^OT_(BACKUP|MIRROR)_/.test(name)) &&
    (service === 'identity' || !secretSeeds.some((seed) => name === seed || name === `${seed}_FILE`))
  );
}

function fromCaller(service: string, { caller }: EnvironmentSource): Record<string, string> {
  const given = Object.entries(caller).filter(([name, value]) => value !== undefined && isFor(service, name));
  return Object.fromEntries(given) as Record<string, string>;
}

function forAll(service: string, { folder, instance, secrets, caller }: EnvironmentSource): Record<string, string> {
  return {
    SERVICE_HOST: '127.0.0.1',
    API_PORT: new URL(listenerUrl(instance, service, 'api')).port,
    INTERNAL_PORT: new URL(listenerUrl(instance, service, 'internal')).port,
    NATS_URL: `nats://127.0.0.1:${instance.ports['nats']}`,
    NATS_USER: service,
    NATS_PASSWORD: secrets.read(`nats_${service}`),
    REDIS_URL: redisUrl({ port: instance.ports['redis']!, password: secrets.read('redis') }),
    ASSERTION_PUBLIC_KEY_FILE: secrets.file('assertion_public_key'),
    MODEL_CACHE_DIR: caller['MODEL_CACHE_DIR'] ?? folder.models,
    NODE_COMPILE_CACHE: compileCache,
    // Many small processes on one machine: the allocator's per-thread arenas would cost more than they save.
    MALLOC_ARENA_MAX: caller['MALLOC_ARENA_MAX'] ?? '2',
  };
}

function forSome(service: string, source: EnvironmentSource): Record<string, string> {
  const { folder, caller } = source;
  return {
    ...(databaseServices.includes(service)
      ? { DATABASE_URL: databaseUrl(source, roleOf(service)), ...toText(poolLimits(caller)) }
      : {}),
    ...(withObjects.has(service) ? { OBJECT_STORE_DIR: folder.objects, OBJECT_STORE_REQUIRES_MARKER: 'true' } : {}),
    ...(service === 'transcription-worker'
      ? // The supervisor fetches the models.
        { WORK_DIR: caller['WORK_DIR'] ?? folder.work, OT_SPEECH_MODEL: 'none' }
      : {}),
    ...(service === 'search-indexer' ? { LANCEDB_DIR: folder.search, LANCEDB_REQUIRES_MARKER: 'true' } : {}),
    ...(withSecrets.has(service) ? { ENCRYPTION_KEY_FILE: source.secrets.file('encryption_key') } : {}),
    ...(service === 'operations'
      ? {
          OT_BACKUP_ROOTS: caller['OT_BACKUP_ROOTS'] ?? `${folder.root}:/mnt:/media:/srv:/var/backups:/backups`,
          ...(folder.root === dataFolder(undefined).root ? {} : { OT_DATA_FOLDER: folder.root }),
        }
      : {}),
    ...(service === 'identity' ? forIdentity(source) : {}),
    ...(service === 'edge-gateway' ? forEdge(source) : {}),
  };
}

/** The limits of the pool of each service. By default all pools together fit into the connections of the server. */
export function poolLimits(caller: EnvironmentSource['caller']) {
  const size = Number(caller['DB_POOL_SIZE'] || 20);
  const overflow = caller['DB_MAX_OVERFLOW'];
  return {
    DB_POOL_SIZE: size,
    DB_MAX_OVERFLOW: overflow
      ? Number(overflow)
      : fittingOverflow(size, Number(caller['PG_MAX_CONNECTIONS'] || specifiedConnections)),
  };
}

function toText(values: Readonly<Record<string, number>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}

function forIdentity({ caller, secrets, instance, adminPasswordFile }: EnvironmentSource): Record<string, string> {
  return {
    ...(hasSigningSecret(caller) ? {} : { JWT_SECRET_KEY_FILE: secrets.file('jwt_secret_key') }),
    ...(adminPasswordFile === undefined || instance.adminEmail === undefined
      ? {}
      : { OT_ADMIN_EMAIL: instance.adminEmail, OT_ADMIN_PASSWORD_FILE: adminPasswordFile }),
  };
}

/** Whether the environment has the signing secret; it takes precedence over the file of the data folder. */
export function hasSigningSecret(environment: Readonly<Record<string, string | undefined>>): boolean {
  return ['JWT_SECRET_KEY', 'JWT_SECRET_KEY_FILE'].some((name) => Boolean(environment[name]));
}

function forEdge({ secrets, instance, uiFolder }: EnvironmentSource): Record<string, string> {
  const urls = behindTheEdge.map((name) => [`${roleOf(name).toUpperCase()}_URL`, listenerUrl(instance, name, 'api')]);
  return {
    ASSERTION_PRIVATE_KEY_FILE: secrets.file('assertion_private_key'),
    UI_DIR: uiFolder,
    // An update starts the next version on the public port before it stops the present one.
    REUSE_PORT: 'true',
    ...(Object.fromEntries(urls) as Record<string, string>),
  };
}
