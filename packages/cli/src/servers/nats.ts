import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { requireProgram } from './binaries.ts';
import { firstLine } from './probe.ts';
import { plainEnvironment, type ProcessSpec } from './process.ts';

/** One user of the message bus and the subjects it may use. */
export interface NatsUser {
  readonly user: string;
  /** The password, or the variable of the server's environment that holds it. */
  readonly password: string | { readonly variable: string };
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
}

/** Where a NATS server of ours lives. */
export interface NatsOptions {
  readonly folder: string;
  readonly port: number;
}

/** Who may use the bus; without users everybody may do everything. */
export interface NatsAccess {
  readonly users?: readonly NatsUser[];
}

const MAX_PAYLOAD = 8 * 1024 * 1024;

/** A NATS server with JetStream whose store is in a folder of ours, on loopback only; `writeNatsConfig` comes first. */
export function natsServer(options: NatsOptions): ProcessSpec {
  const configFile = configIn(options.folder);
  return {
    name: 'nats',
    command: requireProgram('nats-server'),
    args: ['-c', configFile],
    env: plainEnvironment(),
    stopSignal: 'SIGTERM',
    // The greeting is sent only after JetStream has recovered its streams.
    probe: async () => (await firstLine(options.port, ''))?.includes('"jetstream":true') === true,
  };
}

/** Writes the server's configuration file. */
export async function writeNatsConfig(options: NatsOptions & NatsAccess): Promise<void> {
  await mkdir(options.folder, { recursive: true, mode: 0o700 });
  await writeFile(configIn(options.folder), natsConfig(options), { mode: 0o600 });
}

const configIn = (folder: string) => join(folder, 'nats.conf');

/** Where else than on the loopback a server listens: in a container, whose network says who reaches it. */
export interface NatsListeners {
  readonly host?: string;
  /** Port of its own health and figures. */
  readonly monitorPort?: number;
}

/** The text of the configuration file. */
export function natsConfig(options: NatsOptions & NatsAccess & NatsListeners): string {
  const lines = [
    `host: ${quote(options.host ?? '127.0.0.1')}`,
    `port: ${options.port}`,
    ...(options.monitorPort === undefined ? [] : [`http_port: ${options.monitorPort}`]),
    `server_name: "overtone"`,
    `max_payload: ${MAX_PAYLOAD}`,
    `max_pending: ${8 * MAX_PAYLOAD}`,
    `jetstream { store_dir: ${quote(join(options.folder, 'jetstream'))}, max_mem: 128MB, max_file: 16GB }`,
  ];
  if (options.users !== undefined) {
    const users = options.users.map((user) => `    ${userLine(user)}`);
    lines.push('authorization {', '  users = [', ...users, '  ]', '}');
  }
  return `${lines.join('\n')}\n`;
}

function userLine({ user, password, publish, subscribe }: NatsUser): string {
  const list = (subjects: readonly string[]) => `{ allow: [${subjects.map(quote).join(', ')}] }`;
  const secret = typeof password === 'string' ? quote(password) : `$${password.variable}`;
  return `{ user: ${quote(user)}, password: ${secret}, permissions: { publish: ${list(publish)}, subscribe: ${list(subscribe)} } }`;
}

const quote = (text: string) => JSON.stringify(text);
