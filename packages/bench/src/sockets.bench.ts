import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { eventFeed, mediaEvents } from '@overtone/contracts';
import { assertionHeader, createAssertionSigner } from '@overtone/service-kit';
import { assertionKeys, freePort, startNats, type TestServer } from '@overtone/testkit';
import { AckPolicy, connect, DeliverPolicy } from 'nats';
import { WebSocket } from 'ws';
import { alternate, quantile, type Bench, type Row } from './bench.ts';

const goalMs = 100;
const pauseMs = 100;
const turns = 3;
const rounds = 20;
type Clients = { sockets: WebSocket[]; deliveries: Map<string, number[]> };
type Load = { rounds: number; sockets: number; url: string; headers: Record<string, string>; engineIo: boolean };

function run(file: string, env: Record<string, string> = {}): ChildProcess {
  return spawn(process.execPath, ['--no-warnings', fileURLToPath(new URL(file, import.meta.url))], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', (part: Buffer) => resolve(part.toString().trim()));
    child.once('exit', () => reject(new Error('the server ended')));
  });
}

/** Opens clients that record when they receive a change, identified by the id in its text. */
async function openClients({ sockets: count, url, headers, engineIo }: Load): Promise<Clients> {
  const deliveries = new Map<string, number[]>();
  const open = () =>
    new Promise<WebSocket>((resolve, reject) => {
      const ws = new WebSocket(url, { headers, perMessageDeflate: false });
      ws.on('error', reject);
      if (!engineIo) ws.on('open', () => resolve(ws));
      ws.on('message', (data) => {
        const text = (data as Buffer).toString();
        // Engine.IO packet types: 0 open, 40 connect, 2 ping.
        if (engineIo && text.startsWith('0')) ws.send('40');
        else if (engineIo && text.startsWith('40')) resolve(ws);
        else if (engineIo && text === '2') ws.send('3');
        const id = /"file_id":"([^"]+)"/.exec(text)?.[1];
        if (id) deliveries.get(id)?.push(performance.now());
      });
    });
  const sockets: WebSocket[] = [];
  for (let i = 0; i < count; i += 50) sockets.push(...(await Promise.all(Array.from({ length: 50 }, open))));
  return { sockets, deliveries };
}

/** Milliseconds from a change to its receipt by each client, over several rounds. */
async function measure(load: Load, publish: (id: string, clients: Clients) => Promise<void>): Promise<number[]> {
  const clients = await openClients(load);
  await sleep(500);
  const all: number[] = [];
  for (let round = -5; round < load.rounds; round += 1) {
    const id = randomUUID();
    const receivedAt: number[] = [];
    clients.deliveries.set(id, receivedAt);
    const publishedAt = performance.now();
    await publish(id, clients);
    for (let waited = 0; receivedAt.length < load.sockets && waited < 5_000; waited += 5) await sleep(5);
    if (receivedAt.length < load.sockets)
      throw new Error(`only ${receivedAt.length} of ${load.sockets} sockets received the change`);
    if (round >= 0) all.push(...receivedAt.map((at) => at - publishedAt));
    await sleep(pauseMs);
  }
  for (const ws of clients.sockets) ws.terminate();
  return all;
}

function text(id: string) {
  return JSON.stringify({ type: 'file_updated', seq: 1, data: { file_id: id, status: 'completed' } });
}

async function ours(nats: TestServer, sockets: number, rounds: number, engineIo: boolean): Promise<number[]> {
  const { publicKey, privateKey } = assertionKeys();
  const sign = createAssertionSigner(privateKey);
  const ownerId = randomUUID();
  const nc = await connect({ servers: nats.url });
  const jsm = await nc.jetstreamManager();
  await jsm.streams.add({ name: 'EVENTS', subjects: ['evt.>'] });
  await jsm.consumers.add('EVENTS', {
    durable_name: eventFeed.durable,
    deliver_subject: eventFeed.subject,
    deliver_policy: DeliverPolicy.New,
    ack_policy: AckPolicy.None,
  });
  const port = await freePort();
  const gateway = run('../../../services/realtime-gateway/src/main.ts', {
    API_PORT: String(port),
    INTERNAL_PORT: '0',
    NATS_URL: nats.url,
    ASSERTION_PUBLIC_KEY: publicKey,
    WS_MAX_SOCKETS_PER_USER: String(sockets),
  });
  try {
    await firstLine(gateway);
    const caller = {
      userId: ownerId,
      sessionId: randomUUID(),
      role: 'user',
      tokenExpiresAt: Date.now() + 600_000,
    } as const;
    const headers = { [assertionHeader]: sign('realtime-gateway', caller) };
    const url = `ws://127.0.0.1:${port}/api/ws/${engineIo ? '?EIO=4&transport=websocket' : ''}`;
    return await measure({ rounds, sockets, url, headers, engineIo }, async (fileId) => {
      const event = JSON.stringify({ fileId, ownerId, status: 'completed' });
      await nc.jetstream().publish(mediaEvents.updated.subject, event);
    });
  } finally {
    gateway.kill('SIGKILL');
    await jsm.streams.delete('EVENTS');
    await nc.close();
  }
}

async function peer(sockets: number, rounds: number): Promise<number[]> {
  const server = run('./ws-broadcast.peer.ts');
  try {
    const url = `ws://127.0.0.1:${await firstLine(server)}`;
    return await measure({ rounds, sockets, url, headers: {}, engineIo: false }, async (id, clients) =>
      clients.sockets[0]?.send(text(id)),
    );
  } finally {
    server.kill('SIGKILL');
  }
}

/** Delivery of a change to many sockets of one user, compared with a bare broadcast of the same text. */
export const socketsBench: Bench = {
  name: 'sockets',
  about: 'p99 from a committed change to its receipt by the last of 1,000 sockets, compared with a bare ws broadcast',
  run: async function* ({ size }) {
    const sockets = Math.max(50, Math.round((1_000 * size) / 50) * 50);
    const nats = await startNats();
    try {
      const { bare, plain, socketIo } = await alternate(turns, {
        bare: async () => quantile(await peer(sockets, rounds), 0.99),
        plain: async () => quantile(await ours(nats, sockets, rounds, false), 0.99),
        socketIo: async () => quantile(await ours(nats, sockets, rounds, true), 0.99),
      });
      const row = (protocol: string, p99: number): Row => ({
        name: `sockets: ${sockets} ${protocol}`,
        ours: `p99 ${p99.toFixed(1)} ms`,
        peer: `ws p99 ${bare.toFixed(1)} ms`,
        ratio: p99 / bare,
        goal: `<= ${goalMs} ms`,
        met: p99 <= goalMs,
      });
      yield* [row('plain', plain), row('socket.io', socketIo)];
    } finally {
      await nats.stop();
    }
  },
};
