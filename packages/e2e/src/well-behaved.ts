import { readFile, readdir } from 'node:fs/promises';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from './client.ts';
import type { Instance, ServiceStatus } from './instance.ts';
import { until } from './runner.ts';

/** Requests of a well-behaved client, one after another, until it is stopped; what did not succeed is reported. */
export const behaveWell = (client: Client) => {
  const faults: string[] = [];
  let sent = 0;
  let slowestMs = 0;
  let stopped = false;
  const one = async (method: string, path: string, init: RequestInit = {}): Promise<void> => {
    const from = performance.now();
    const status = await client.call(method, path, init).then(
      (answer) => answer.status,
      (error: unknown) => String(error instanceof Error ? (error.cause ?? error) : error),
    );
    sent += 1;
    slowestMs = Math.max(slowestMs, performance.now() - from);
    if (status !== 200) faults.push(`${method} ${path}: ${status} after ${Math.round(performance.now() - from)} ms`);
  };
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ full_name: 'Somebody Else' });
  const lane = async (): Promise<void> => {
    while (!stopped) {
      await one('PUT', '/api/users/me', { headers, body });
      await one('GET', '/api/files?limit=1');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const lanes = Promise.all(Array.from({ length: 4 }, lane));
  return {
    /** @returns what was sent, the slowest answer, and what failed. */
    stop: async () => {
      stopped = true;
      await lanes;
      return { sent, slowestMs: Math.round(slowestMs), faults };
    },
  };
};

const logsOf = async (data: string): Promise<Map<string, string>> => {
  const files = (await readdir(data, { recursive: true })).filter((f) => f.endsWith('.log'));
  return new Map(await Promise.all(files.map(async (f) => [f, await readFile(join(data, f), 'utf8')] as const)));
};
const descriptorsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

const timersOf = async ({ internal_url: url }: ServiceStatus): Promise<number> => {
  if (!url) return 0;
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^nodejs_active_resources\{type="Timeout"\S*\} (\d+)/m.exec(text)?.[1] ?? 0);
};

/** Room for connections to databases and between services, and for timers of periodic work. */
const slack = 40;

/** Processes, logs, descriptors and timers of an instance now, to be compared with later. */
export const takeStock = async (instance: Instance) => {
  const { services } = await instance.status();
  const pids = (of: readonly ServiceStatus[]): string[] => of.map(({ name, pid }) => `${name} ${pid}`).sort();
  const before = new Map(
    await Promise.all(
      services.map(async (s) => [s.name, { descriptors: descriptorsOf(s.pid), timers: await timersOf(s) }] as const),
    ),
  );
  const logs = await logsOf(instance.data);
  return {
    /** Lines that a process writes when it ends by an error, and processes that are not those of before. */
    faults: async (): Promise<string[]> => {
      const now = await instance.status();
      const others = pids(now.services).filter((one) => !pids(services).includes(one));
      const lines = [...(await logsOf(instance.data))].flatMap(([file, text]) =>
        text
          .slice(logs.get(file)?.length ?? 0)
          .split('\n')
          .filter((line) => /\bfatal\b|uncaught exception|unhandled rejection/.test(line))
          .map((line) => `${file}: ${line.slice(0, 300)}`),
      );
      return [...others.map((one) => `new process: ${one}`), ...lines];
    },
    /** Waits until no service holds more descriptors and timers than before. */
    released: (limitMs = 60_000): Promise<boolean> =>
      until(
        'descriptors and timers released',
        async () => {
          const held: string[] = [];
          for (const s of services) {
            const was = before.get(s.name) ?? { descriptors: 0, timers: 0 };
            const descriptors = descriptorsOf(s.pid) - was.descriptors;
            const timers = (await timersOf(s)) - was.timers;
            if (descriptors > slack || timers > slack)
              held.push(`${s.name}: +${descriptors} descriptors, +${timers} timers`);
          }
          if (held.length > 0) throw new Error(held.join('; '));
          return true;
        },
        limitMs,
        500,
      ),
  };
};
