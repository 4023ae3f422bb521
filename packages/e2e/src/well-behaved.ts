import { readFile, readdir } from 'node:fs/promises';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from './client.ts';
import type { Instance, ServiceStatus } from './instance.ts';
import { until } from './until.ts';

/** Sends valid requests until it is stopped, and collects the failed ones. */
export function startRegularRequests(client: Client) {
  const faults: string[] = [];
  let sent = 0;
  let slowestMs = 0;
  let stopped = false;
  const send = async (method: string, path: string, init: RequestInit = {}): Promise<void> => {
    const startedAt = performance.now();
    const status = await client.call(method, path, init).then(
      ({ status: code }) => code,
      (error: unknown) => String(error instanceof Error ? (error.cause ?? error) : error),
    );
    sent += 1;
    slowestMs = Math.max(slowestMs, performance.now() - startedAt);
    if (status !== 200)
      faults.push(`${method} ${path}: ${status} after ${Math.round(performance.now() - startedAt)} ms`);
  };
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ full_name: 'Other User' });
  const runLoop = async (): Promise<void> => {
    while (!stopped) {
      await send('PUT', '/api/users/me', { headers, body });
      await send('GET', '/api/files?limit=1');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const loops = Promise.all(Array.from({ length: 4 }, runLoop));
  return {
    /** @returns the number of requests, the slowest response and the failures. */
    stop: async () => {
      stopped = true;
      await loops;
      return { sent, slowestMs: Math.round(slowestMs), faults };
    },
  };
}

async function logsOf(data: string): Promise<Map<string, string>> {
  const files = (await readdir(data, { recursive: true })).filter((file) => file.endsWith('.log'));
  return new Map(
    await Promise.all(files.map(async (file) => [file, await readFile(join(data, file), 'utf8')] as const)),
  );
}

function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

async function timersOf({ internal_url: url }: ServiceStatus): Promise<number> {
  if (!url) return 0;
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^nodejs_active_resources\{type="Timeout"\S*\} (\d+)/m.exec(text)?.[1] ?? 0);
}

/** Allowed increase: connections to databases and between services, timers of periodic tasks. */
const tolerance = 40;

/** Records the processes, logs, descriptors and timers of an instance for a later comparison. */
export async function captureBaseline(instance: Instance) {
  const { services } = await instance.status();
  const pids = (of: readonly ServiceStatus[]): string[] => of.map(({ name, pid }) => `${name} ${pid}`).sort();
  const before = new Map(
    await Promise.all(
      services.map(
        async (service) =>
          [service.name, { descriptors: descriptorsOf(service.pid), timers: await timersOf(service) }] as const,
      ),
    ),
  );
  const logs = await logsOf(instance.data);
  return {
    /** Log lines of process failures, and processes that were started since. */
    faults: async (): Promise<string[]> => {
      const now = await instance.status();
      const started = pids(now.services).filter((one) => !pids(services).includes(one));
      const lines = [...(await logsOf(instance.data))].flatMap(([file, text]) =>
        text
          .slice(logs.get(file)?.length ?? 0)
          .split('\n')
          .filter((line) => /\bfatal\b|uncaught exception|unhandled rejection/.test(line))
          .map((line) => `${file}: ${line.slice(0, 300)}`),
      );
      return [...started.map((one) => `new process: ${one}`), ...lines];
    },
    /** Waits until no service has more descriptors and timers than before. */
    released: (limitMs = 60_000): Promise<boolean> =>
      until(
        'descriptors and timers released',
        async () => {
          const held: string[] = [];
          for (const service of services) {
            const baseline = before.get(service.name) ?? { descriptors: 0, timers: 0 };
            const descriptors = descriptorsOf(service.pid) - baseline.descriptors;
            const timers = (await timersOf(service)) - baseline.timers;
            if (descriptors > tolerance || timers > tolerance)
              held.push(`${service.name}: +${descriptors} descriptors, +${timers} timers`);
          }
          if (held.length > 0) throw new Error(held.join('; '));
          return true;
        },
        limitMs,
        500,
      ),
  };
}
