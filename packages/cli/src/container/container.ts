import { topology, natsUsers } from '@overtone/contracts';
import { natsConfig } from '../servers/nats.ts';
import { inventSecret } from '../setup/secrets.ts';
import { databaseServices, roleOf } from '../supervisor/environment.ts';

/** The values of `.env`, by name. */
export type Values = Readonly<Record<string, string>>;

/** The variable of the password with which a service connects to the database. */
export function databasePassword(service: string) {
  return `DB_PASSWORD_${screaming(service)}`;
}

/** The variable of the password with which a service connects to the bus. */
export function busPassword(service: string) {
  return `NATS_PASSWORD_${screaming(service)}`;
}

const services = Object.keys(topology);

/** Passwords that are part of URLs and of the bus server's configuration: limited to characters without escapes. */
export const passwordNames: readonly string[] = [
  'POSTGRES_PASSWORD',
  ...databaseServices.map(databasePassword),
  ...services.map(busPassword),
  'REDIS_PASSWORD',
];
/** Passwords that are not part of another syntax. */
const freeNames = ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY', 'GRAFANA_ADMIN_PASSWORD'];

// The bus server parses a value that begins with a digit as a number.
export const passwordPattern = /^[A-Za-z][A-Za-z0-9_-]{7,}$/;

function inventPasswordOfServer() {
  return `p${inventSecret.password()}`;
}

/** The passwords with invalid characters. */
export function unusable(values: Values): string[] {
  return passwordNames.filter((name) => values[name] !== undefined && !passwordPattern.test(values[name]));
}

/** Generates the missing values of the container profile. */
export function missing(values: Values, version: string, adminPassword: () => string): Record<string, string> {
  const made: Record<string, string> = {};
  const ensure = (name: string, invent: () => string) => {
    if (!values[name]) made[name] = invent();
  };
  ensure('OT_IMAGE_TAG', () => version);
  ensure('OT_ADMIN_EMAIL', () => 'admin@overtone.localhost');
  ensure('OT_ADMIN_PASSWORD', adminPassword);
  for (const name of [...passwordNames, ...freeNames]) ensure(name, inventPasswordOfServer);
  ensure('JWT_SECRET_KEY', inventSecret.signingKey);
  ensure('ENCRYPTION_KEY', inventSecret.sealingKey);
  if (!values['ASSERTION_PRIVATE_KEY'] || !values['ASSERTION_PUBLIC_KEY']) {
    const { publicKey, privateKey } = inventSecret.assertionKeys();
    Object.assign(made, { ASSERTION_PUBLIC_KEY: publicKey, ASSERTION_PRIVATE_KEY: privateKey });
  }
  return made;
}

/** A machine, as far as the limits of containers depend on it. */
export type Machine = { readonly processors: number; readonly memoryBytes: number };

const gigabyte = 1024 ** 3;
/** The processors that the worker and the search server may use where the machine has them. */
const mostProcessors = 4;

/**
 * Limits of the two containers that grow with the machine; Docker refuses more processors than there are. The others and
 * the defaults of compose.yaml fit two processors and 8 GB.
 */
export function limitsFor({ processors, memoryBytes }: Machine): Record<string, string> {
  const gigabytes = Math.round(memoryBytes / gigabyte);
  const size = gigabytes < 12 ? 1 : gigabytes < 24 ? 2 : 4;
  const cpus = String(Math.min(processors, mostProcessors));
  return {
    WORKER_CPUS: cpus,
    WORKER_MEMORY: size === 1 ? '3G' : '4G',
    SEARCH_CPUS: cpus,
    SEARCH_HEAP: `${size}g`,
    SEARCH_MEMORY: `${2 * size}G`,
  };
}

/** Lines of `.env`; multi-line values are quoted, with `\n` for line ends. */
export function envLines(values: Values): string {
  const line = ([name, value]: [string, string]) =>
    value.includes('\n') ? `${name}="${value.replaceAll('\n', '\\n')}"` : `${name}=${value}`;
  return Object.entries(values)
    .map((entry) => `${line(entry)}\n`)
    .join('');
}

/** The bus server's configuration: every service is a user with its own permissions. It contains no secret. */
export function busConfig(): string {
  const users = Object.entries(natsUsers()).map(([user, rights]) => ({
    user,
    ...rights,
    password: { variable: busPassword(user) },
  }));
  return natsConfig({ folder: '/data', host: '0.0.0.0', port: 4222, monitorPort: 8222, users });
}

function screaming(service: string) {
  return roleOf(service).toUpperCase();
}
