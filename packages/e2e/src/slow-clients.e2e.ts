import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import type { Context } from './context.ts';
import { signInAsOther } from './people.ts';
import type { Suite } from './suite.ts';
import { until } from './until.ts';
import { startRegularRequests, captureBaseline } from './well-behaved.ts';

/** The first bytes of a slow client; `drip` is sent once a second. */
const kinds = {
  'an endless request head': { first: 'GET /api/version HTTP/1.1\r\nX-Slow: ', drip: 'x' },
  'nothing at all': { first: '', drip: '' },
  'a body of one byte a second': {
    first:
      'POST /api/auth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\n',
    drip: 'x',
  },
  'a socket that does not authenticate': {
    first:
      'GET /api/ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
    drip: '',
  },
};

type SlowClient = { socket: Socket; received: string; closed: boolean };

function open(port: number, { first, drip }: { first: string; drip: string }): SlowClient {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => socket.write(first));
  const slow: SlowClient = { socket, received: '', closed: false };
  const timer = drip === '' ? undefined : setInterval(() => socket.write(drip), 1_000);
  const end = (): void => {
    clearInterval(timer);
    slow.closed = true;
  };
  // These clients never close the connection; the server must do it.
  socket
    .on('data', (chunk) => (slow.received += chunk.toString('latin1')))
    .on('end', end)
    .on('close', end)
    .on('error', () => {});
  return slow;
}

/** @param count number of slow connections, evenly distributed over the kinds. */
export function slowClients({ instance }: Context, count: number): Suite {
  return {
    name: 'Slow clients',
    checks: [
      {
        rule: `${count} slow clients affect no other request, and the server closes all of them`,
        limitMs: 240_000,
        run: async (log) => {
          const steady = await signInAsOther(instance, 'bystander@example.org');
          const port = Number(new URL(instance.baseUrl).port);
          const baseline = await captureBaseline(instance);
          const others = startRegularRequests(steady);
          const startedAt = Date.now();
          const each = Math.ceil(count / Object.keys(kinds).length);
          const all = Object.entries(kinds).flatMap(([kind, bytes]) =>
            Array.from({ length: each }, () => ({ kind, slow: open(port, bytes) })),
          );
          try {
            const openClients = () => all.filter(({ slow }) => !slow.closed);
            await until(
              'all slow clients closed',
              async () => {
                const remaining = openClients();
                if (remaining.length > 0) throw new Error(`${remaining.length} open, one with ${remaining[0]?.kind}`);
                return true;
              },
              120_000,
              500,
            );
            log(`${all.length} slow clients closed after ${Math.round((Date.now() - startedAt) / 1000)} s`);
          } finally {
            for (const { slow } of all) slow.socket.destroy();
          }
          const { sent, slowestMs, faults } = await others.stop();
          log(`${sent} other requests, the slowest took ${slowestMs} ms`);
          assert.deepEqual(faults, []);
          assert.deepEqual(await baseline.faults(), []);
          await baseline.released(15_000);
        },
      },
    ],
  };
}
