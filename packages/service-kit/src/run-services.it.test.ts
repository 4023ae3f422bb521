import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { freePort, startNats, waitFor } from '@overtone/testkit';
import { cleanUpAfterTest, stopAfterFile } from '@overtone/testkit/cleanup';

const nats = await stopAfterFile(startNats());
const main = fileURLToPath(new URL('../test/hosting.main.ts', import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'overtone-hosting-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function logOf(name: string): string {
  return readFileSync(join(folder, `${name}.log`), 'utf8');
}

/** A process of the services media and identity. */
async function launch(more: { media?: object; identity?: object } = {}, common: Record<string, string> = {}) {
  const ports = { media: await freePort(), identity: await freePort() };
  const internal = { media: await freePort(), identity: await freePort() };
  const envOf = (name: 'media' | 'identity') =>
    JSON.stringify({
      NATS_URL: nats.url,
      API_PORT: String(ports[name]),
      INTERNAL_PORT: String(internal[name]),
      OT_LOG_PATH: join(folder, `${name}.log`),
      ...more[name],
    });
  const child = spawn(process.execPath, [main], {
    env: { ...common, MEDIA: envOf('media'), IDENTITY: envOf('identity') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  cleanUpAfterTest(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const isReady = async (name: 'media' | 'identity') =>
    await fetch(`http://127.0.0.1:${internal[name]}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  const ask = async (name: 'media' | 'identity', fault = '') =>
    await fetch(`http://127.0.0.1:${ports[name]}/api/there?fault=${fault}`, { headers: { connection: 'close' } });
  const metricOf = async (name: 'media' | 'identity', kind: string) => {
    const text = await (await fetch(`http://127.0.0.1:${internal[name]}/metrics`)).text();
    return Number(new RegExp(`^process_unhandled_errors_total\\{kind="${kind}"\\} (\\d+)`, 'm').exec(text)?.[1]);
  };
  return { child, ended, output: () => output, internal, isReady, ask, metricOf };
}

type Launched = Awaited<ReturnType<typeof launch>>;

async function untilReady({ isReady }: Launched): Promise<void> {
  await waitFor(async () => (await isReady('media')) && (await isReady('identity')));
}

describe('a process of several services', () => {
  it('serves each on its ports and writes the lines of each to its own log', async () => {
    const running = await launch();
    await untilReady(running);
    expect([(await running.ask('media')).status, (await running.ask('identity')).status]).toEqual([200, 200]);
    await waitFor(() => logOf('media').includes('GET /api/there') && logOf('identity').includes('GET /api/there'));
    expect(logOf('media')).not.toContain(' identity ');
    expect(logOf('identity')).not.toContain(' media ');
    expect(running.output()).toBe('');
  });

  it('sends the spans of each under its name', async () => {
    const payloads: Buffer[] = [];
    const collector = createHttpServer((req, res) => {
      const parts: Buffer[] = [];
      req.on('data', (part: Buffer) => parts.push(part));
      req.on('end', () => {
        payloads.push(Buffer.concat(parts));
        res.end();
      });
    });
    const port = await freePort();
    await new Promise<void>((resolve) => collector.listen(port, '127.0.0.1', resolve));
    cleanUpAfterTest(async () => {
      collector.closeAllConnections();
      collector.close();
    });
    const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` };
    const running = await launch({ media: traced, identity: traced }, { ...traced, OTEL_BSP_SCHEDULE_DELAY: '100' });
    await untilReady(running);
    await running.ask('media');
    await running.ask('identity');
    const sentBy = (name: string) => payloads.filter((payload) => payload.includes(name));
    await waitFor(() => sentBy('media').length > 0 && sentBy('identity').length > 0);
    expect(sentBy('media').filter((payload) => payload.includes('identity'))).toEqual([]);
  });

  it('stops all of them on a signal and exits with code 0', async () => {
    const running = await launch();
    await untilReady(running);
    running.child.kill('SIGTERM');
    expect(await running.ended).toBe(0);
  });

  it('ends with code 70 and the name of the service in its output after an uncaught exception', async () => {
    const running = await launch();
    await untilReady(running);
    await running.ask('identity', 'exception').catch(() => undefined);
    expect(await running.ended).toBe(70);
    expect(running.output()).toMatch(/fatal identity uncaught exception\n +TypeError: a fault of ours/);
    expect(logOf('identity')).toContain('uncaught exception');
    expect(logOf('media')).not.toContain('uncaught exception');
  });

  it('counts an unhandled rejection at the service that made it, and continues', async () => {
    const running = await launch();
    await untilReady(running);
    await running.ask('identity', 'rejection');
    await waitFor(async () => (await running.metricOf('identity', 'unhandled_rejection')) === 1);
    expect(await running.metricOf('media', 'unhandled_rejection')).toBe(0);
    expect(await running.isReady('media')).toBe(true);
  });

  it('ends with the name of a service that cannot be created', async () => {
    const running = await launch({ identity: { TROUBLE: 'create' } });
    expect(await running.ended).toBe(1);
    expect(running.output()).toMatch(/fatal identity could not start\n +Error: no such variable/);
  });

  it('ends with the name of a service that cannot start', async () => {
    const taken = createServer();
    const port = await freePort();
    await new Promise<void>((resolve) => taken.listen(port, '127.0.0.1', resolve));
    cleanUpAfterTest(async () => void taken.close());
    const running = await launch({ media: { INTERNAL_PORT: String(port) } });
    expect(await running.ended).toBe(1);
    expect(running.output()).toMatch(/fatal media could not start\n +Error: listen EADDRINUSE/);
    expect(logOf('media')).toContain('could not start');
  });
});
