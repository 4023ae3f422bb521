import type { PushMessage } from '@overtone/contracts';
import { observable, type Observable } from '../lib/observable.ts';
import { backOff, parsePush } from './push.ts';

/** `off`: nobody is signed in. `waiting`: lost, a new try is due. */
export type PushState = 'off' | 'connecting' | 'open' | 'waiting';
export type PushSocket = {
  readonly state: Observable<PushState>;
  readonly open: () => void;
  readonly close: () => void;
};

type Deps = {
  readonly onMessage: (message: PushMessage) => void;
  /** The socket was refused for want of a session; true when there is one again. */
  readonly renew: () => Promise<boolean>;
};

const pingEveryMs = 25_000;
const unauthenticated: ReadonlySet<number> = new Set([4001, 4003]);
const revoked = 4004;

/** One socket for the whole page; a reconnect tells the last `seq` it saw and so misses nothing. */
export const createPushSocket = ({ onMessage, renew }: Deps): PushSocket => {
  const state = observable<PushState>('off');
  let socket: WebSocket | null = null;
  let lastSeq: number | null = null;
  let attempt = 0;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let ping: ReturnType<typeof setInterval> | undefined;

  const receive = (message: PushMessage): void => {
    if (message.type === 'connection_established' || message.type === 'resync') {
      lastSeq = Math.max(lastSeq ?? 0, message.data.seq);
    } else if ('seq' in message) lastSeq = message.seq;
    onMessage(message);
  };
  const again = (): void => {
    if (state.get() === 'off') return;
    state.set('waiting');
    clearTimeout(retry);
    retry = setTimeout(connect, backOff(attempt));
    attempt += 1;
  };
  const lost = async (code: number): Promise<void> => {
    clearInterval(ping);
    socket = null;
    if (state.get() === 'off') return;
    // A revoked session cannot be renewed; the renewal then fails and the sign-in page opens.
    if (unauthenticated.has(code) || code === revoked) await renew().catch(() => false);
    again();
  };
  const connect = (): void => {
    clearTimeout(retry);
    state.set('connecting');
    const own = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/api/ws`);
    socket = own;
    own.addEventListener('open', () => {
      attempt = 0;
      if (lastSeq !== null) own.send(JSON.stringify({ type: 'resume', since: lastSeq }));
      state.set('open');
      ping = setInterval(() => own.send(JSON.stringify({ type: 'ping' })), pingEveryMs);
    });
    own.addEventListener('message', ({ data }) => {
      const message = parsePush(data);
      if (message && socket === own) receive(message);
    });
    own.addEventListener('close', ({ code }) => {
      if (socket === own) void lost(code);
    });
  };
  const wake = (): void => {
    if (state.get() === 'waiting') connect();
  };
  addEventListener('online', wake);
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && wake());
  return {
    state,
    open: () => {
      if (state.get() === 'off') connect();
    },
    close: () => {
      state.set('off');
      clearTimeout(retry);
      clearInterval(ping);
      lastSeq = null;
      attempt = 0;
      socket?.close(1000);
      socket = null;
    },
  };
};
