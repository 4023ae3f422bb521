import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@overtone/cli/servers';
import type { Instance } from '../instance.ts';
import { isAlive } from '../processes.ts';
import { until } from '../until.ts';
import { environmentOf } from '../service-access.ts';
import { endsOf, treeOf } from '../victims.ts';

/** A process of a service. */
export type Replica = {
  readonly pid: number;
  readonly apiPort: number;
  readonly internalPort: number;
  /** Waits for its exit and returns the exit code or signal. */
  readonly ended: () => Promise<string>;
};

export function untilReady(what: string, internalPort: number): Promise<true> {
  return until(
    `${what} is ready`,
    async () => (await readinessOf(internalPort)) === 200 && (true as const),
    240_000,
    200,
  );
}

let count = 0;

function portOf(url: string | null): number {
  return Number(new URL(url ?? 'http://none:0').port);
}

/** The process that the supervisor runs; after its exit the supervisor starts a new one on the same ports. */
export async function supervisedReplica(instance: Instance, service: string): Promise<Replica> {
  const found = (await instance.status()).services.find(({ name }) => name === service);
  if (!found) throw new Error(`no ${service} in the status`);
  const before = (await endsOf(instance, service)).length;
  return {
    pid: found.pid,
    apiPort: portOf(found.url),
    internalPort: portOf(found.internal_url),
    ended: () => until(`${service} has ended`, async () => (await endsOf(instance, service))[before], 240_000),
  };
}

/** Starts a second process of a service with the command and environment of the supervised one, on other ports. */
export async function startReplica(
  instance: Instance,
  service: string,
  changed: Readonly<Record<string, string>> = {},
): Promise<Replica> {
  const pid = await instance.pidOf(service);
  const [command = '', ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  const [apiPort, internalPort] = [await freePort(), await freePort()];
  const given = Object.fromEntries(await environmentOf(instance, service));
  const env = { ...given, ...changed, API_PORT: String(apiPort), INTERNAL_PORT: String(internalPort) };
  const child = spawn(command, args, { env, cwd: '/', stdio: ['ignore', 'pipe', 'pipe'] });
  const log = createWriteStream(join(instance.data, 'logs', `${service}-replica-${(count += 1)}.log`));
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const ended = new Promise<string>((resolve) =>
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`)),
  );
  const name = `the second ${service}`;
  const endedEarly = ended.then((how) => {
    throw new Error(`${name} ended while starting: ${how}`);
  });
  await Promise.race([untilReady(name, internalPort), endedEarly]);
  endedEarly.catch(() => {});
  return { pid: child.pid ?? 0, apiPort, internalPort, ended: () => ended };
}

/** Stops a replica like Kubernetes stops a pod: SIGTERM, removal from the balancer when unready, exit. */
export async function endReplica(what: string, replica: Replica, removeFromBalancer: () => void): Promise<void> {
  const tree = treeOf(replica.pid);
  process.kill(replica.pid, 'SIGTERM');
  await until(`${what} is not ready`, async () => (await readinessOf(replica.internalPort)) !== 200, 240_000, 50);
  removeFromBalancer();
  assert.equal(await replica.ended(), 'exit code 0', what);
  assert.deepEqual(tree.filter(isAlive), [], `processes of ${what}`);
}

/** The status of its readiness probe; 0: no response. */
function readinessOf(internalPort: number): Promise<number> {
  return fetch(`http://127.0.0.1:${internalPort}/health/ready`).then(
    async (response) => {
      await response.body?.cancel();
      return response.status;
    },
    () => 0,
  );
}
