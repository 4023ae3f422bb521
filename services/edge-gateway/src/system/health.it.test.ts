import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { waitFor } from '@overtone/testkit';
import { cleanUpAfterFile } from '@overtone/testkit/cleanup';
import { setUpEdge, startEdge } from '../../test/running-edge.ts';

const { backends, edge } = await setUpEdge();

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUpAfterFile(async () => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function healthOf({ call }: Pick<typeof edge, 'call'>): Promise<unknown> {
  return (await call('/api/health')).json['status'];
}

describe('the health', () => {
  it.each([
    ['was stopped', async () => 'http://127.0.0.1:1'],
    ['accepts connections and does not answer', async () => await serve(() => undefined)],
    [
      'begins an answer and does not end its head',
      async () => await serve((_, response) => response.writeProcessing()),
    ],
    ['has a critical check that fails', async () => await serve((_, response) => response.writeHead(503).end())],
  ])('is degraded when a service %s', async (_state, addressOf) => {
    const own = await startEdge(backends, { SEARCH_INDEXER_URL: await addressOf() });
    expect(await healthOf(own)).toBe('degraded');
    await own.stop();
  });

  it.each(['nats', 'redis'] as const)(
    'is degraded while %s hangs, and healthy when it responds again',
    async (name) => {
      await waitFor(async () => (await healthOf(edge)) === 'healthy');
      const pid = backends[name].pid();
      process.kill(pid, 'SIGSTOP');
      try {
        await waitFor(async () => (await healthOf(edge)) === 'degraded');
      } finally {
        process.kill(pid, 'SIGCONT');
      }
      await waitFor(async () => (await healthOf(edge)) === 'healthy');
    },
  );
});
