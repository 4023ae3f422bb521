import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { PushMessage } from '@overtone/contracts';
import { createPushSocket, type Connection } from './push-socket.ts';

type ServerSide = {
  readonly since: number | null;
  /** Pings that the server received. */
  readonly pings: () => number;
  readonly send: (message: PushMessage) => void;
  readonly hangUp: (code: number) => void;
};
const user = '11111111-1111-4111-8111-111111111111';

function hello(seq: number, resumed: boolean): PushMessage {
  return {
    type: 'connection_established',
    data: { user_id: user, seq, resumed },
  };
}

function created(seq: number): PushMessage {
  return { type: 'file_created', seq, data: { file_id: user } };
}

/** A push socket and the server side of its connections; `opens: false`: no connection is established. */
function start({ opens = true, answersPings = true } = {}) {
  const connections: ServerSide[] = [];
  const received: PushMessage['type'][] = [];
  let wake = (): void => undefined;
  const probe = jest.fn(() => Promise.resolve());
  const connectTo = (since: number | null): Connection => {
    const target = new EventTarget();
    const hangUp = (code: number): void => void target.dispatchEvent(Object.assign(new Event('close'), { code }));
    const send = (message: PushMessage): void =>
      void target.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(message) }));
    let pings = 0;
    connections.push({ since, hangUp, send, pings: () => pings });
    if (opens) queueMicrotask(() => target.dispatchEvent(new Event('open')));
    return {
      addEventListener: target.addEventListener.bind(target),
      send: () => {
        pings += 1;
        if (answersPings) queueMicrotask(() => send({ type: 'pong', data: {} }));
      },
      close: () => hangUp(1000),
    } as Connection;
  };
  const socket = createPushSocket({
    onMessage: (message) => received.push(message.type),
    probe,
    connectTo,
    onWake: (listener) => (wake = listener),
  });
  socket.open();
  const server = (): ServerSide => connections.at(-1) as ServerSide;
  return { socket, connections, server, received, probe, wake: () => wake() };
}

function advance(ms: number) {
  return jest.advanceTimersByTimeAsync(ms);
}

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('push socket', () => {
  it('requests the messages after the last received one on a reconnect', async () => {
    const { server, connections } = start();
    server().send(hello(5, false));
    server().send(created(8));
    server().hangUp(1006);
    await advance(1000);
    expect(connections.map(({ since }) => since)).toEqual([null, 8]);
  });
  it('requests missed messages again when the connection is lost right after the greeting', async () => {
    const { server, connections } = start();
    server().send(hello(5, false));
    server().hangUp(1006);
    await advance(1000);
    server().send(hello(9, true));
    server().hangUp(1006);
    await advance(1000);
    expect(connections.map(({ since }) => since)).toEqual([null, 5, 5]);
  });
  it('continues from the sequence of the greeting once the missed messages have arrived', async () => {
    const { server } = start();
    server().send(hello(5, false));
    server().hangUp(1006);
    await advance(1000);
    server().send(hello(9, true));
    await advance(3000);
    server().hangUp(1006);
    await advance(1000);
    expect(server().since).toBe(9);
  });
  it('probes the session when the server sends no greeting', async () => {
    const { probe, connections } = start();
    await advance(3001);
    expect(probe).toHaveBeenCalledTimes(1);
    await advance(1000);
    expect(connections).toHaveLength(2);
  });
  it('probes the session after a revocation, but not after the mere expiry of the token', async () => {
    const { server, probe } = start();
    server().send(hello(1, false));
    server().hangUp(4001);
    await advance(1000);
    expect(probe).not.toHaveBeenCalled();
    server().send(hello(1, true));
    server().hangUp(4004);
    await advance(0);
    expect(probe).toHaveBeenCalledTimes(1);
  });
  it('reconnects immediately when the network is back', async () => {
    const { server, connections, wake } = start();
    server().send(hello(1, false));
    server().hangUp(1006);
    await advance(0);
    wake();
    expect(connections).toHaveLength(2);
  });
  it('reconnects when the server does not answer a ping, and requests what it missed', async () => {
    const { server, connections, probe } = start({ answersPings: false });
    await advance(0);
    server().send(hello(5, false));
    await advance(25_000);
    expect([connections.length, server().pings()]).toEqual([1, 1]);
    await advance(11_000);
    expect(connections.map(({ since }) => since)).toEqual([null, 5]);
    expect(probe).not.toHaveBeenCalled();
  });
  it('keeps a connection whose pings are answered', async () => {
    const { server, connections } = start();
    await advance(0);
    server().send(hello(5, false));
    await advance(600_000);
    expect([connections.length, server().pings()]).toEqual([1, 24]);
  });
  it('takes any message for an answer', async () => {
    const { server, connections } = start({ answersPings: false });
    await advance(0);
    server().send(hello(5, false));
    await advance(30_000);
    server().send(created(6));
    await advance(15_000);
    expect(connections).toHaveLength(1);
  });
  it('tests an open connection when the network is back or the page is visible again', async () => {
    const { server, connections, wake } = start({ answersPings: false });
    await advance(0);
    server().send(hello(5, false));
    wake();
    expect(server().pings()).toBe(1);
    await advance(11_000);
    expect(connections).toHaveLength(2);
  });
  it('tries again when no connection is established', async () => {
    const { connections } = start({ opens: false });
    await advance(19_000);
    expect(connections).toHaveLength(1);
    await advance(3_000);
    expect(connections).toHaveLength(2);
  });
  it('stays closed after sign-out and forgets the last sequence', async () => {
    const { socket, server, connections } = start();
    server().send(hello(5, false));
    socket.close();
    await advance(60_000);
    expect(connections).toHaveLength(1);
    socket.open();
    expect(server().since).toBeNull();
  });
  it('drops unknown messages', () => {
    const { server, received } = start();
    server().send(hello(1, false));
    server().send({ type: 'something', data: {} } as unknown as PushMessage);
    expect(received).toEqual(['connection_established']);
  });
});
