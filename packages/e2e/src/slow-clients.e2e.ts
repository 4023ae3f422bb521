import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import type { Context } from './context.ts';
import { limitSignIns, signInAsOther } from './people.ts';
import { until, type Suite } from './runner.ts';
import { behaveWell, takeStock } from './well-behaved.ts';

/** What a slow client sends at first; `drip` is sent once a second. */
const kinds = {
  'a head that never ends': { first: 'GET /api/version HTTP/1.1\r\nX-Slow: ', drip: 'x' },
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

type Slow = { socket: Socket; received: string; closed: boolean };

const open = (port: number, { first, drip }: { first: string; drip: string }): Slow => {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => socket.write(first));
  const slow: Slow = { socket, received: '', closed: false };
  const timer = drip === '' ? undefined : setInterval(() => socket.write(drip), 1_000);
  const end = (): void => {
    clearInterval(timer);
    slow.closed = true;
  };
  // A client of this kind never closes by itself: the server has to.
  socket
    .on('data', (d) => (slow.received += d.toString('latin1')))
    .on('end', end)
    .on('close', end)
    .on('error', () => {});
  return slow;
};

/** @param count connections of slow clients, of every kind the same number. */
export const slowClients = ({ instance }: Context, count: number): Suite => ({
  name: 'Slow clients',
  checks: [
    {
      rule: `${count} of them cost no other request, and the server closes every one`,
      limitMs: 240_000,
      run: async (say) => {
        await limitSignIns(instance, 10_000);
        const steady = await signInAsOther(instance, 'bystander@example.org');
        const port = Number(new URL(instance.baseUrl).port);
        const stock = await takeStock(instance);
        const others = behaveWell(steady);
        const from = Date.now();
        const each = Math.ceil(count / Object.keys(kinds).length);
        const all = Object.entries(kinds).flatMap(([kind, bytes]) =>
          Array.from({ length: each }, () => ({ kind, slow: open(port, bytes) })),
        );
        try {
          const left = () => all.filter(({ slow }) => !slow.closed);
          await until(
            'all slow clients closed',
            async () => {
              const kept = left();
              if (kept.length > 0) throw new Error(`${kept.length} open, one with ${kept[0]?.kind}`);
              return true;
            },
            120_000,
            500,
          );
          say(`${all.length} slow clients closed after ${Math.round((Date.now() - from) / 1000)} s`);
        } finally {
          for (const { slow } of all) slow.socket.destroy();
        }
        const { sent, slowestMs, faults } = await others.stop();
        say(`${sent} other requests, the slowest of which took ${slowestMs} ms`);
        assert.deepEqual(faults, []);
        assert.deepEqual(await stock.faults(), []);
        await stock.released(15_000);
      },
    },
    {
      rule: 'one address cannot open sockets without end that do not authenticate',
      run: async () => {
        const port = Number(new URL(instance.baseUrl).port);
        const all = Array.from({ length: 300 }, () => open(port, kinds['a socket that does not authenticate']));
        try {
          await until('all sockets answered', async () =>
            all.every(({ received }) => received.startsWith('HTTP/1.1 ')),
          );
          const accepted = all.filter(({ received }) => received.startsWith('HTTP/1.1 101')).length;
          const refused = all.filter(({ received }) => received.startsWith('HTTP/1.1 429')).length;
          assert.ok(accepted > 0 && accepted <= 256, `${accepted} sockets were accepted`);
          assert.equal(accepted + refused, all.length);
        } finally {
          for (const { socket } of all) socket.destroy();
        }
      },
    },
  ],
  close: () => limitSignIns(instance, null),
});
