import type { PushMessage } from '@overtone/contracts';
import { observable, type Observable } from '../lib/observable.ts';
import { backOff, parsePush } from './push.ts';

/** `off`: no user is signed in. `waiting`: the connection is lost and a reconnect is scheduled. */
export type PushState = 'off' | 'connecting' | 'open' | 'waiting';
export type PushSocket = {
  readonly state: Observable<PushState>;
  readonly open: () => void;
  readonly close: () => void;
};

type Deps = {
  readonly onMessage: (message: PushMessage) => void;
  /** Sends a small request to the API: it renews an expired session, or ends the session. */
  readonly probe: () => Promise<unknown>;
  readonly connectTo?: (since: number | null) => Connection;
  /** Subscribes to moments that justify an immediate reconnect: the network is back, or the page is visible again. */
  readonly onWake?: (listener: () => void) => void;
};
/** The part of a WebSocket that is used here. */
export type Connection = Pick<WebSocket, 'addEventListener' | 'send' | 'close'>;

const pingEveryMs = 25_000;
/** Without a message for this time after a ping, the line is dead: a proxy or a NAT gateway can drop it without notice. */
const pongTimeoutMs = 10_000;
const openTimeoutMs = 20_000;
const settleMs = 2000;
/** The server greets a connection with a valid session within this time; without a greeting it is closed. */
const greetingTimeoutMs = 3000;
/** Close code of the contracts: the session was revoked. */
const revoked = 4004;
/** Close code of RFC 6455 for a connection that ended without a closing handshake. */
const lost = 1006;

/** One socket for the whole page. A reconnect sends the last `seq` received, so that no message is lost. */
export function createPushSocket({
  onMessage,
  probe,
  connectTo = connectToSameOrigin,
  onWake = onPageWake,
}: Deps): PushSocket {
  const state = observable<PushState>('off');
  let socket: Socket | null = null;
  let lastSeq: number | null = null;
  let attempt = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;

  const receiveGreeting = ({ seq, resumed }: { seq: number; resumed: boolean }): void => {
    attempt = 0;
    socket?.confirmGreeting();
    state.set('open');
    const greetedSocket = socket;
    if (!resumed) lastSeq = seq;
    // The missed messages follow the greeting. Its `seq` counts as received only after they have arrived.
    else setTimeout(() => socket === greetedSocket && (lastSeq = Math.max(lastSeq ?? 0, seq)), settleMs);
  };
  const receive = (message: PushMessage): void => {
    if (message.type === 'connection_established') receiveGreeting(message.data);
    else if (message.type === 'resync') lastSeq = message.data.seq;
    else if ('seq' in message) lastSeq = message.seq;
    onMessage(message);
  };
  const reconnectLater = async ({ code, isGreeted }: Closed): Promise<void> => {
    socket = null;
    // After the mere expiry of a token the cookies already hold its successor.
    if (code === revoked || !isGreeted) await probe().catch(() => undefined);
    if (state.get() === 'off') return;
    state.set('waiting');
    clearTimeout(retry);
    retry = setTimeout(connect, backOff(attempt));
    attempt += 1;
  };
  const connect = (): void => {
    clearTimeout(retry);
    state.set('connecting');
    socket = openSocket(connectTo(lastSeq), { onMessage: receive, onClose: (closed) => void reconnectLater(closed) });
  };
  onWake(() => {
    if (state.get() === 'waiting') connect();
    else if (state.get() === 'open') socket?.ping();
  });
  return {
    state,
    open: () => {
      if (state.get() === 'off') connect();
    },
    close: () => {
      state.set('off');
      clearTimeout(retry);
      lastSeq = null;
      attempt = 0;
      socket?.close();
      socket = null;
    },
  };
}

type Closed = { readonly code: number; readonly isGreeted: boolean };
type SocketListeners = {
  readonly onMessage: (message: PushMessage) => void;
  readonly onClose: (closed: Closed) => void;
};
type Socket = ReturnType<typeof openSocket>;

/** Pings a connection while it is open, and gives it up when the server does not respond in time. */
function openSocket(connection: Connection, { onMessage, onClose }: SocketListeners) {
  let isGreeted = false;
  let isClosed = false;
  let pings: ReturnType<typeof setInterval> | undefined;
  let pongTimeout: ReturnType<typeof setTimeout> | undefined;
  const stop = (): void => {
    isClosed = true;
    clearTimeout(greetingTimeout);
    clearTimeout(pongTimeout);
    clearInterval(pings);
  };
  const reportClosed = (code: number): void => {
    if (isClosed) return;
    stop();
    onClose({ code, isGreeted });
  };
  const giveUp = (): void => {
    // Not left to the event `close`: on a dead line the browser waits for the server's part of the closing handshake.
    reportClosed(lost);
    connection.close();
  };
  let greetingTimeout = setTimeout(giveUp, openTimeoutMs);
  const ping = (): void => {
    connection.send(JSON.stringify({ type: 'ping' }));
    pongTimeout ??= setTimeout(giveUp, pongTimeoutMs);
  };
  connection.addEventListener('open', () => {
    if (isClosed) return;
    clearTimeout(greetingTimeout);
    greetingTimeout = setTimeout(giveUp, greetingTimeoutMs);
    pings = setInterval(ping, pingEveryMs);
  });
  connection.addEventListener('message', ({ data }) => {
    clearTimeout(pongTimeout);
    pongTimeout = undefined;
    const message = parsePush(data);
    if (message && !isClosed) onMessage(message);
  });
  connection.addEventListener('close', ({ code }) => reportClosed(code));
  return {
    confirmGreeting: (): void => {
      isGreeted = true;
      clearTimeout(greetingTimeout);
    },
    ping,
    /** Closes the connection without a report to `onClose`. */
    close: (): void => {
      stop();
      connection.close(1000);
    },
  };
}

function connectToSameOrigin(since: number | null): Connection {
  const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
  return new WebSocket(`${scheme}://${location.host}/api/ws${since === null ? '' : `?since=${since}`}`);
}

function onPageWake(listener: () => void): void {
  addEventListener('online', listener);
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && listener());
}
