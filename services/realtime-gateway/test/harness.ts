import { randomUUID } from 'node:crypto';
import {
  eventFeed,
  identityRpc,
  mediaRpc,
  type DataOf,
  type EventDef,
  type FileAccess,
  type LiveDef,
  type PushMessage,
  type ResolvedSession,
} from '@overtone/contracts';
import { createAssertionSigner, createBus, createLog, type Caller } from '@overtone/service-kit';
import { startNats, waitFor, type TestServer, assertionKeys } from '@overtone/testkit';
import { cleanUpAfterFile } from '@overtone/testkit/cleanup';
import { busUsers } from '@overtone/testkit/bus';
import { AckPolicy, connect, DeliverPolicy, headers, type NatsConnection } from 'nats';
import { io, type Socket } from 'socket.io-client';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { gatewayEnv, type GatewayEnv } from '../src/env.ts';
import { createRealtimeGateway } from '../src/realtime-gateway.ts';

const { publicKey, privateKey } = assertionKeys();
const sign = createAssertionSigner(privateKey);
const password = 'secret';
const log = createLog('test', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'json' });

export function callerOf(userId: string, over: Partial<Caller> = {}): Caller {
  return {
    userId,
    sessionId: randomUUID(),
    role: 'user',
    tokenExpiresAt: Date.now() + 600_000,
    ...over,
  };
}

/** Headers that the edge adds to the request of a signed-in browser; with null, of an anonymous one. */
function fromEdge(caller: Caller | null) {
  return { 'x-overtone-assertion': sign('realtime-gateway', caller) };
}

/** A bus with the permissions of production, and fake identity and media services that serve `sessions` and `known`. */
export async function createWorld() {
  const nats = await startNats({ users: busUsers(password) });
  const test = await connect({
    servers: nats.url,
    user: 'test',
    pass: password,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
  });
  const jsm = await test.jetstreamManager();
  const createStream = async (): Promise<void> => {
    await jsm.streams.add({ name: 'EVENTS', subjects: ['evt.>'] });
    await jsm.consumers.add('EVENTS', {
      durable_name: eventFeed.durable,
      deliver_subject: eventFeed.subject,
      deliver_policy: DeliverPolicy.New,
      ack_policy: AckPolicy.None,
    });
  };
  await createStream();
  const identity = createBus({ service: 'identity', url: nats.url, user: 'identity', password, log });
  await identity.connect();
  const sessions = new Map<string, ResolvedSession>();
  identity.serve(identityRpc.resolveSession, async ({ accessToken }) => ({
    session: sessions.get(accessToken) ?? null,
  }));
  /** The replies of identity and media. */
  const known = {
    memberships: [] as { userId: string; groupIds: string[]; version: number }[],
    shared: [] as FileAccess[],
  };
  identity.serve(identityRpc.memberships, async ({ after }) => ({ users: after === null ? known.memberships : [] }));
  const media = createBus({ service: 'media', url: nats.url, user: 'media', password, log });
  await media.connect();
  media.serve(mediaRpc.listShared, async ({ after }) => ({ files: after === null ? known.shared : [] }));
  await Promise.all([identity, media].map((bus) => bus.nc().flush()));
  cleanUpAfterFile(async () => {
    await identity.close();
    await media.close();
    await test.close();
    await nats.stop();
  });
  return {
    nats,
    known,
    test,
    sessions,
    emit: emitter(test),
    /** As after the loss of the broker's disk. */
    recreateStream: async (): Promise<void> => {
      await jsm.streams.delete('EVENTS');
      await createStream();
    },
    publishLive: <L extends LiveDef>(def: L, data: unknown) => test.publish(def.subject, JSON.stringify(data)),
  };
}

function emitter(nc: NatsConnection) {
  return async <E extends EventDef>(event: E, data: DataOf<E>): Promise<number> => {
    const extra = headers();
    // The message id makes a repeated publish after a timeout idempotent.
    const msgID = randomUUID();
    extra.set('ot-time', new Date().toISOString());
    const ack = await waitFor(() =>
      nc
        .jetstream({ timeout: 30_000 })
        .publish(event.subject, JSON.stringify(data), { headers: extra, msgID, timeout: 30_000 }),
    );
    return ack.seq;
  };
}

export async function startGateway(world: { nats: TestServer }, over: Partial<GatewayEnv> = {}) {
  const env = z.object(gatewayEnv).parse({
    API_PORT: 0,
    INTERNAL_PORT: 0,
    LOG_LEVEL: 'fatal',
    SHUTDOWN_GRACE_MS: 2_000,
    NATS_URL: world.nats.url,
    NATS_USER: 'realtime-gateway',
    NATS_PASSWORD: password,
    ASSERTION_PUBLIC_KEY: publicKey,
    WS_MAX_SOCKETS_PER_USER: 5,
    WS_MAX_UNAUTHENTICATED: 50,
    ...over,
  });
  const service = createRealtimeGateway(env);
  const { apiPort, internalPort } = await service.start();
  return { stop: service.stop, apiPort, internalPort };
}

/** A plain WebSocket client, with or without a cookie behind it. */
export function plainClient(
  port: number,
  caller: Caller | null,
  options: { query?: string; origin?: string; autoPong?: boolean } = {},
) {
  const ws = new WebSocket(`ws://127.0.0.1:${port}/api/ws${options.query ?? ''}`, {
    headers: { ...fromEdge(caller), ...(options.origin ? { origin: options.origin } : {}) },
    autoPong: options.autoPong ?? true,
  });
  const received: PushMessage[] = [];
  ws.on('message', (data) => received.push(JSON.parse((data as Buffer).toString()) as PushMessage));
  ws.on('error', () => {});
  const closed = new Promise<number>((resolve) => ws.on('close', (code) => resolve(code)));
  const refused = new Promise<number>((resolve) =>
    ws.on('unexpected-response', (_req, res) => resolve(res.statusCode ?? 0)),
  );
  const opened = new Promise<void>((resolve) => ws.on('open', () => resolve()));
  return {
    ws,
    received,
    closed,
    refused,
    opened,
    send: (frame: unknown) => ws.send(JSON.stringify(frame)),
    types: () => received.map((message) => message.type),
    established: () => waitFor(() => received.find((message) => message.type === 'connection_established')),
    first: <T extends PushMessage['type']>(type: T) =>
      waitFor(() => received.find((message): message is Extract<PushMessage, { type: T }> => message.type === type)),
    close: () => ws.close(),
  };
}

type ReceivedEvent = { type: string; argument: unknown };
export type SocketIoClient = {
  socket: Pick<Socket, 'disconnect'>;
  received: ReceivedEvent[];
  first: (type: string) => Promise<ReceivedEvent>;
  disconnected: Promise<void>;
};
/** A client of the socket.io library. */
export function socketIoClient(
  port: number,
  options: { caller?: Caller; auth?: object; transports?: string[] } = {},
): SocketIoClient {
  const socket: Socket = io(`http://127.0.0.1:${port}`, {
    path: '/api/ws',
    extraHeaders: fromEdge(options.caller ?? null),
    reconnection: false,
    forceNew: true,
    ...(options.auth ? { auth: options.auth } : {}),
    ...(options.transports ? { transports: options.transports } : {}),
  });
  const received: ReceivedEvent[] = [];
  socket.onAny((type: string, argument: unknown) => received.push({ type, argument }));
  return {
    socket,
    received,
    first: (type: string) => waitFor(() => received.find((message) => message.type === type)),
    disconnected: new Promise<void>((resolve) => socket.on('disconnect', () => resolve())),
  };
}

/** A socket.io client over polling whose every poll is made by the test (Engine.IO protocol 4). */
export async function pollingClient(port: number, caller: Caller) {
  const poll = async (query: string, body?: string): Promise<string> => {
    const url = `http://127.0.0.1:${port}/api/ws/?EIO=4&transport=polling${query}`;
    const headers = { ...fromEdge(caller), connection: 'close' };
    return (await fetch(url, body === undefined ? { headers } : { headers, method: 'POST', body })).text();
  };
  const { sid } = JSON.parse((await poll('')).slice(1)) as { sid: string };
  await poll(`&sid=${sid}`, '40');
  return {
    /** Polls until an event of this type arrives, and returns the packets of that poll. */
    until: async (type: string): Promise<string> => {
      for (;;) {
        const packets = await poll(`&sid=${sid}`);
        if (packets.includes(`"${type}"`)) return packets;
      }
    },
  };
}
