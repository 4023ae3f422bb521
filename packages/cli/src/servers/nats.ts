import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readIfThere, replaceFile } from '../files.ts';
import { requireProgram } from './binaries.ts';
import { firstLine, linesUntil } from './probe.ts';
import { kill, plainEnvironment, type ProcessSpec, type ServerHealth } from './process.ts';

/** One user of the message bus and the subjects it may use. */
export type NatsUser = {
  readonly user: string;
  /** The password, or the variable of the server's environment that contains it. */
  readonly password: string | { readonly variable: string };
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
  /** Whether it may reply to a request although it has no right to publish to the reply's subject. */
  readonly allowResponses?: boolean;
};

/** The folder and ports of a NATS server. */
export type NatsOptions = {
  readonly folder: string;
  readonly port: number;
  /** The user of the JetStream health probe. */
  readonly supervisor?: { readonly user: string; readonly password: string };
};

/** The users of the bus; without users every client has all permissions. */
export type NatsAccess = {
  readonly users?: readonly NatsUser[];
};

const maxPayload = 8 * 1024 * 1024;

/** A NATS server with JetStream on loopback only; `writeNatsConfig` must be called first. */
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
    // JetStream disables itself when a write fails, until the server is restarted.
    health: async () => await jetStreamHealth(options),
  };
}

async function jetStreamHealth({ port, supervisor }: NatsOptions): Promise<ServerHealth> {
  const login = { verbose: false, ...(supervisor && { user: supervisor.user, pass: supervisor.password }) };
  const hello = `CONNECT ${JSON.stringify(login)}\r\nSUB ${inbox} 1\r\nPUB $JS.API.INFO ${inbox} 0\r\n\r\nPING\r\n`;
  const lines = await linesUntil(port, hello, (line) => line.startsWith(`MSG ${inbox}`), jetstreamRespondsWithinMs);
  if (lines.some((line) => line.startsWith(`MSG ${inbox}`))) return 'working';
  return lines.includes('PONG') ? 'broken' : 'unresponsive';
}

const inbox = '_INBOX.supervisor.jetstream';
const jetstreamRespondsWithinMs = 2000;

/** Writes the server's configuration file. @returns whether it has changed. */
export function writeNatsConfig(options: NatsOptions & NatsAccess): boolean {
  const [file, text] = [configIn(options.folder), natsConfig(options)];
  if (readIfThere(file) === text) return false;
  mkdirSync(options.folder, { recursive: true, mode: 0o700 });
  // Atomic: a reloading server never reads a partial file.
  replaceFile(file, text);
  return true;
}

function configIn(folder: string) {
  return join(folder, 'nats.conf');
}

/** The permissions of users, by name. */
export type NatsRights = Readonly<Record<string, Pick<NatsUser, 'publish' | 'subscribe' | 'allowResponses'>>>;

/** The permissions in the configuration file; none without a file. */
export function readNatsRights(folder: string): NatsRights {
  const lines = (readIfThere(configIn(folder)) ?? '').split('\n').map((line) => userLinePattern.exec(line)?.slice(1));
  const list = (text: string | undefined) => JSON.parse(text ?? '[]') as string[];
  const rightsOf = (found: string[]) => ({
    publish: list(found[1]),
    subscribe: list(found[2]),
    allowResponses: found[3] !== undefined,
  });
  return Object.fromEntries(
    lines.flatMap((found) => (found === undefined ? [] : [[JSON.parse(found[0]!), rightsOf(found)]])),
  ) as NatsRights;
}

/** Reloads the configuration of a running server: open connections get the new permissions. */
export async function reloadNats(pid: number, logFile: string): Promise<void> {
  const before = readIfThere(logFile)?.length ?? 0;
  kill(pid, 'SIGHUP');
  for (const deadline = Date.now() + reloadedWithinMs; Date.now() < deadline; await sleep(50)) {
    const log = readIfThere(logFile) ?? '';
    // The server reports the result only in its log; a rotated log is read from its beginning.
    const [, outcome, why] = reloadOutcome.exec(log.slice(log.length < before ? 0 : before)) ?? [];
    if (outcome === 'Reloaded') return;
    if (outcome !== undefined) throw new Error(`the bus refuses its new configuration: ${why}`);
  }
  throw new Error('the bus did not read its new configuration in time');
}

const reloadedWithinMs = 60_000;
const reloadOutcome = /(Reloaded|Failed to reload) server configuration:? ?(.*)/;

/** The listen addresses of a server in a container, whose network restricts the access. */
export type NatsListeners = {
  readonly host?: string;
  /** Port of its health and monitoring endpoint. */
  readonly monitorPort?: number;
};

/** The text of the configuration file. */
export function natsConfig(options: NatsOptions & NatsAccess & NatsListeners): string {
  const lines = [
    `host: ${quote(options.host ?? '127.0.0.1')}`,
    `port: ${options.port}`,
    ...(options.monitorPort === undefined ? [] : [`http_port: ${options.monitorPort}`]),
    `server_name: "overtone"`,
    `max_payload: ${maxPayload}`,
    `max_pending: ${8 * maxPayload}`,
    `jetstream { store_dir: ${quote(join(options.folder, 'jetstream'))}, max_mem: 128MB, max_file: 16GB }`,
  ];
  if (options.users !== undefined) {
    const users = options.users.map((user) => `    ${userLine(user)}`);
    lines.push('authorization {', '  users = [', ...users, '  ]', '}');
  }
  return `${lines.join('\n')}\n`;
}

/** Longer than the timeout of any request between services. */
const allowedResponses = 'allow_responses: { max: 1, expires: "60s" }';

function userLine({ user, password, publish, subscribe, allowResponses }: NatsUser): string {
  const list = (subjects: readonly string[]) => `{ allow: [${subjects.map(quote).join(', ')}] }`;
  const secret = typeof password === 'string' ? quote(password) : `$${password.variable}`;
  return `{ user: ${quote(user)}, password: ${secret}, permissions: { publish: ${list(publish)}, subscribe: ${list(subscribe)}${allowResponses ? `, ${allowedResponses}` : ''} } }`;
}

const userLinePattern =
  /^ *\{ user: ("[^"]*"), [^{}]*\{ publish: \{ allow: (\[[^\]]*\]) \}, subscribe: \{ allow: (\[[^\]]*\]) \}(, allow_responses: .*)? \} \}$/;

function quote(text: string) {
  return JSON.stringify(text);
}
