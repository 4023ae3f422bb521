import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { unavailable } from '../errors.ts';
import { createMetrics } from '../metrics.ts';
import { createInternal, type Checks, type InternalRoute } from './internal.ts';

let server: Server | undefined;
afterEach(() => void server?.close());

async function serve(checks: Checks, accepting = true, extra: InternalRoute[] = []): Promise<string> {
  const app = createInternal({
    version: '1.2.3',
    metrics: createMetrics(),
    checks,
    accepting: () => accepting,
    extra,
  });
  server = createServer(app);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function down(): Promise<never> {
  throw new Error('refused');
}

function hangs() {
  return new Promise<void>(() => {});
}

describe('internal listener', () => {
  it('is ready when every critical dependency answers', async () => {
    const base = await serve({ database: { critical: true, probe: async () => {} } });
    const res = await fetch(`${base}/health/ready`);
    expect(res.status).toBe(200);
    expect(await res.json()).toEqual({ status: 'ready', checks: { database: 'ok' } });
  });

  it('answers 503 when a critical dependency is down', async () => {
    const base = await serve({ database: { critical: true, probe: down } });
    expect((await fetch(`${base}/health/ready`)).status).toBe(503);
  });

  it('stays ready, and names it, when search or object storage is down', async () => {
    const base = await serve({ search: { critical: false, probe: down } });
    const res = await fetch(`${base}/health/ready`);
    expect(res.status).toBe(200);
    expect(await res.json()).toEqual({ status: 'ready', checks: { search: 'error: Error' } });
  });

  it('says in a sentence what is wrong, as the pages do', async () => {
    const probe = () => Promise.reject(unavailable('search_unavailable', 'The search index cannot be read.'));
    const res = await fetch(`${await serve({ search: { critical: false, probe } })}/health/ready`);
    const search = 'error: search_unavailable: The search index cannot be read.';
    expect(await res.json()).toEqual({ status: 'ready', checks: { search } });
  });

  it('bounds frozen dependencies at two seconds, all in parallel', async () => {
    const many = Array.from(
      { length: 500 },
      (_, index) => [`dependency ${index}`, { critical: true, probe: hangs }] as const,
    );
    const base = await serve(Object.fromEntries(many));
    // One after the other they would take a quarter of an hour.
    expect((await fetch(`${base}/health/ready`)).status).toBe(503);
  });

  it('is not ready while starting or draining', async () => {
    const base = await serve({}, false);
    expect((await fetch(`${base}/health/ready`)).status).toBe(503);
  });

  it('says the same in its metrics as in its readiness', async () => {
    const checks = { database: { critical: true, probe: down }, broker: { critical: true, probe: async () => {} } };
    const metrics = await (await fetch(`${await serve(checks)}/metrics`)).text();
    expect(metrics).toMatch(/^service_ready 0$/m);
    expect(metrics).toMatch(/^dependency_up\{dependency="database"\} 0$/m);
    expect(metrics).toMatch(/^dependency_up\{dependency="broker"\} 1$/m);
    server?.close();
    expect(await (await fetch(`${await serve({})}/metrics`)).text()).toMatch(/^service_ready 1$/m);
  });

  it('answers /health whatever its dependencies do', async () => {
    const base = await serve({ database: { critical: true, probe: down } });
    expect(await (await fetch(`${base}/health`)).json()).toEqual({ status: 'healthy', version: '1.2.3' });
  });

  it('answers what it knows, whatever is asked along, and nothing else', async () => {
    const base = await serve({}, true, [
      { path: '/more', run: async () => ({ contentType: 'text/plain', body: 'more' }) },
      { path: '/broken', run: down },
    ]);
    expect(await (await fetch(`${base}/more?of=this`)).text()).toBe('more');
    const statusOf = async (path: string, method = 'GET') => (await fetch(`${base}${path}`, { method })).status;
    expect(await Promise.all([statusOf('/other'), statusOf('/more', 'POST'), statusOf('/more', 'HEAD')])).toEqual([
      404, 404, 200,
    ]);
    expect(await statusOf('/broken')).toBe(500);
  });
});
