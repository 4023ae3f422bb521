import { poolEnv } from '@overtone/database/connections';
import { speechModelSetting } from '@overtone/models';
import { z } from 'zod';
import { passwordNames, passwordPattern } from '../container/container.ts';
import { gpuScaleEnv } from '../supervisor/gpu-scale.ts';
import { processesEnv } from '../supervisor/hosting.ts';

const port = z.coerce.number().int().min(1).max(65_535);
const memory = z
  .string()
  .regex(/^\d+[kmgKMG]$/)
  .describe('a size such as 512M or 2G');
const processors = z.coerce.number().min(0.1).max(1024);

function bucketAccess(prefix: 'OT_BACKUP' | 'OT_MIRROR') {
  return {
    [`${prefix}_S3_ENDPOINT`]: z.url({ protocol: /^https?$/ }).optional(),
    [`${prefix}_S3_REGION`]: z.string().optional(),
    [`${prefix}_S3_ACCESS_KEY_ID`]: z.string().optional(),
    [`${prefix}_S3_SECRET_ACCESS_KEY`]: z.string().optional(),
  };
}

/** How long an update waits for each service. */
export const updateEnv = { OT_UPDATE_READY_SECONDS: z.coerce.number().int().min(1).default(120) };

/** Read by `./overtone` itself. */
export const scriptVariables = {
  ...gpuScaleEnv,
  ...processesEnv,
  OT_RELEASE_SIGNERS: z.string().optional(),
  OT_SPEECH_MODEL: speechModelSetting.optional(),
  ...updateEnv,
  PG_MAX_CONNECTIONS: z.coerce.number().int().min(20).max(10_000).optional(),
};

/** Of the first start: identity gets them from the data folder. */
export const firstAdministratorEnv = {
  OT_ADMIN_EMAIL: z
    .string()
    .max(320)
    .regex(/^[^\s@]+@[^\s@]+$/)
    .describe('an e-mail address')
    .optional(),
  OT_ADMIN_PASSWORD: z.string().max(1024).optional(),
};

/** Of the operating system, of Node and of libraries: services and commands obey them, or pass them on. */
export const systemVariables = {
  CUDA_VISIBLE_DEVICES: z.string().optional(),
  HTTPS_PROXY: z.string().optional(),
  HTTP_PROXY: z.string().optional(),
  LANCEDB_LOG: z.string().optional(),
  LD_LIBRARY_PATH: z.string().optional(),
  MALLOC_ARENA_MAX: z.coerce.number().int().min(1).max(1024).optional(),
  NODE_COMPILE_CACHE: z.string().optional(),
  NODE_EXTRA_CA_CERTS: z.string().optional(),
  NO_COLOR: z.string().optional(),
  NO_PROXY: z.string().optional(),
  OVERTONE_HOME: z.string().optional(),
  PATH: z.string().optional(),
};

export const passphraseEnv = { OT_BACKUP_PASSPHRASE: z.string().min(12).optional() };

/** Read by commands for backups, and handed to the container `tools`. */
const backupVariables = {
  ...passphraseEnv,
  OT_BACKUP_PLACE: z
    .string()
    .refine((place) => /^s3:\/\/[^/]+/.test(place) || !/^$|^[a-z][a-z0-9+.-]*:/i.test(place))
    .refine((place) => !/[\p{Cc}]/u.test(place))
    .describe('a folder, or s3://bucket/prefix')
    .optional(),
  ...bucketAccess('OT_BACKUP'),
  ...bucketAccess('OT_MIRROR'),
};

const serverPassword = z
  .string()
  .regex(passwordPattern)
  .describe('a letter and at least seven more letters, digits, _ or -')
  .optional();

/** Read by compose.yaml, or by the servers and tools of containers and Kubernetes. */
const containerVariables = {
  AUDIT_LOG_RETENTION_DAYS: z.coerce.number().int().min(1).max(36_500).optional(),
  GRAFANA_ADMIN_PASSWORD: z.string().optional(),
  GRAFANA_PORT: port.optional(),
  OT_IMAGE_PREFIX: z
    .string()
    .regex(/^[a-z0-9][\w.:/-]*$/)
    .describe('a registry and folder such as registry.example.org/overtone')
    .optional(),
  OT_IMAGE_TAG: z
    .string()
    .regex(/^\w[\w.-]{0,127}$/)
    .describe('the tag of an image')
    .optional(),
  OT_LISTEN: z
    .string()
    .regex(/^((\d{1,3}(\.\d{1,3}){3}|\[[\da-f:]+\]):)?\d{1,5}$/i)
    .describe('a port, or an address and a port such as 127.0.0.1:8080')
    .optional(),
  POSTGRES_ADDRESS: z
    .string()
    .regex(/^[\w.-]+(:\d{1,5})?$|^\[[\da-fA-F:]+\](:\d{1,5})?$/)
    .describe('a host, or a host and a port such as db.example.org:5432')
    .optional(),
  POSTGRES_DATABASE: z
    .string()
    .regex(/^[\w-]+$/)
    .describe('a name of letters, digits, _ and -')
    .optional(),
  POSTGRES_PARAMETERS: z
    .string()
    .regex(/^\w+=[^\s&]*(&\w+=[^\s&]*)*$/)
    .describe('parameters such as sslmode=verify-full&connect_timeout=5')
    .optional(),
  POSTGRES_USER: z
    .string()
    .regex(/^[\w-]+$/)
    .describe('a name of letters, digits, _ and -')
    .optional(),
  PROMETHEUS_PORT: port.optional(),
  SEARCH_CPUS: processors.optional(),
  SEARCH_HEAP: memory.optional(),
  SEARCH_MEMORY: memory.optional(),
  TRACES_ENDPOINT: z.url().optional(),
  WORKER_CPUS: processors.optional(),
  WORKER_MEMORY: memory.optional(),
  ...Object.fromEntries(passwordNames.map((name) => [name, serverPassword])),
};

/** Every variable that no service reads: of the management script, of backups and of containers. */
export const furtherVariables: z.ZodRawShape = {
  ...poolEnv,
  ...scriptVariables,
  ...systemVariables,
  ...firstAdministratorEnv,
  ...backupVariables,
  ...containerVariables,
};

/** Accounts of S3 servers: a server without its keys is refused. */
const s3Variables = ['S3', 'OT_BACKUP_S3', 'OT_MIRROR_S3'];

/** The S3 servers that are set without what they need. */
export function incompleteBuckets(source: Readonly<Record<string, string | undefined>>): string[] {
  return s3Variables.flatMap((prefix) => {
    if (!source[`${prefix}_ENDPOINT`]) return [];
    const needed = [...(prefix === 'S3' ? ['BUCKET'] : []), 'ACCESS_KEY_ID', 'SECRET_ACCESS_KEY'];
    const missing = needed
      .map((name) => `${prefix}_${name}`)
      .filter((name) => !source[name] && !source[`${name}_FILE`]);
    return missing.length === 0 ? [] : [`${prefix}_ENDPOINT is set without ${missing.join(' and ')}`];
  });
}
