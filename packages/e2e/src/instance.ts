import { spawn } from 'node:child_process';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { withLock } from '@overtone/cli/lock';
import { freePort } from '@overtone/cli/servers';
import { serviceNames } from '@overtone/contracts';
import { cpuSecondsOf, processesOf } from './processes.ts';

/** The management script. */
export const launcher = resolve(import.meta.dirname, '../../../overtone');
export const admin = { email: 'admin@example.org', password: 'Correct-Horse-7-Battery' };

export type Ran = { code: number | null; output: string; seconds: number };
export type ServiceStatus = {
  name: string;
  url: string | null;
  internal_url: string | null;
  pid: number;
  ready: boolean;
  checks?: Record<string, unknown>;
};
export type InstanceStatus = { base_url: string; version: string; profile: string; services: ServiceStatus[] };

/** Runs `./overtone ARGS` until it exits. */
export function overtone(
  args: string[],
  env: Record<string, string> = {},
  limitMs = 480_000,
  script = launcher,
): Promise<Ran> {
  return new Promise((done, fail) => {
    const from = Date.now();
    const child = spawn(script, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    const limit = setTimeout(() => child.kill('SIGTERM'), limitMs);
    let output = '';
    child.stdout.on('data', (bytes: Buffer) => (output += bytes.toString()));
    child.stderr.on('data', (bytes: Buffer) => (output += bytes.toString()));
    child.once('error', fail);
    // 'exit', not 'close': a detached supervisor may keep the pipes open.
    child.once('exit', (code) => {
      clearTimeout(limit);
      setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
        done({ code, output, seconds: (Date.now() - from) / 1000 });
      }, 50);
    });
  });
}

/** The last log lines that report warnings, errors and process exits, with stack traces. */
async function tail(path: string, lines: number): Promise<string> {
  return (await readFile(path, 'utf8'))
    .split('\n')
    .filter((line) => /\b(warn|error|fatal|Error)\b|\[(ERR|FTL)\]|ERROR|PANIC|ended|^\s+at |^caused by/.test(line))
    .slice(-lines)
    .join('\n');
}

let cpuSeconds = 0;
/** CPU seconds of the instances that this process has stopped. */
export function usedCpuSeconds(): number {
  return cpuSeconds;
}

/** A real Overtone in its own folder, started and stopped by the management script. */
export type Instance = Awaited<ReturnType<typeof createInstance>>;

export async function createInstance(environment: Record<string, string> = {}, folder?: string, script = launcher) {
  const data = folder ?? (await mkdtemp(join(tmpdir(), 'overtone-e2e-')));
  let port = 0;
  let current = environment;
  let started = false;
  const env = () => ({
    OT_ADMIN_EMAIL: admin.email,
    OT_ADMIN_PASSWORD: admin.password,
    // Suites sign in often, from one address.
    RATE_LIMIT_ENABLED: 'false',
    // No test fetches a model, unless it is about that.
    OT_SPEECH_MODEL: 'none',
    ...current,
  });
  const at = ['--data', data];
  const run = (args: string[], limitMs?: number) => overtone(args, env(), limitMs, script);

  const up = async (changed: Record<string, string> = current): Promise<Ran> => {
    current = changed;
    const start = () => run(['up', ...at, '--port', String(port), '--detach']);
    if (started) return start();
    started = true;
    // An instance chooses its ports at the first start, and binds them later: two must not choose at the same time.
    return withLock('first start of a test instance', async () => {
      port = await freePort();
      return start();
    });
  };
  const down = () => {
    cpuSeconds += cpuSecondsOf(processesOf(data));
    return run(['down', ...at]);
  };
  const status = async (): Promise<InstanceStatus> => {
    const ran = await run(['status', ...at, '--json'], 120_000);
    return JSON.parse(ran.output.slice(ran.output.indexOf('{'))) as InstanceStatus;
  };
  const pidOf = async (name: string): Promise<number> => {
    const pid = (await status()).services.find((service) => service.name === name)?.pid;
    if (!pid) throw new Error(`no process of ${name} in the status`);
    return pid;
  };
  const logsTail = async (lines = 8): Promise<string> => {
    const files = (await readdir(data, { recursive: true })).filter((file) => file.endsWith('.log'));
    const parts = await Promise.all(
      files.map(async (file) => `--- ${file}\n${await tail(join(data, file), lines).catch(String)}`),
    );
    return parts.filter((part) => part.split('\n')[1]).join('\n');
  };
  /** Services that exited with an error code, and log lines of level fatal. A suite kills only with signals. */
  const faults = async (): Promise<string[]> => {
    const folder = join(data, 'logs');
    const read = (name: string) => readFile(join(folder, `${name}.log`), 'utf8').catch(() => '');
    const ends = [...(await read('supervisor')).matchAll(/^\S+ (\S+) ended \(exit code ([1-9]\d*)\)/gm)];
    const ended = ends.filter(([, name = '']) => serviceNames.some((service) => name.startsWith(service)));
    const logs = await Promise.all(serviceNames.map(async (name) => ({ name, text: await read(name) })));
    const fatal = logs.flatMap(({ name, text }) =>
      [...text.matchAll(/^(?:\S+ fatal |\{"level":"fatal").*$/gm)].map(([line]) => `${name}: ${line}`),
    );
    return [...ended.map(([, name, code]) => `${name} ended with exit code ${code}`), ...fatal];
  };
  const remove = async (): Promise<void> => {
    await down();
    for (const living of processesOf(data)) process.kill(living.pid, 'SIGKILL');
    await rm(data, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
  return {
    data,
    /** From the first start on. */
    get port() {
      return port;
    },
    get baseUrl() {
      return `http://127.0.0.1:${port}`;
    },
    up,
    down,
    status,
    pidOf,
    logsTail,
    faults,
    remove,
  };
}
