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
  /** Asks the API something small: it renews the session where that is what is missing, or ends it. */
  readonly probe: () => Promise<unknown>;
  readonly dial?: (since: number | null) => Dialled;
  /** Tells when it is worth trying at once: the network is back, the page is looked at again. */
  readonly onWake?: (listener: () => void) => void;
};
/** What is used of a WebSocket. */
export type Dialled = Pick<WebSocket, 'addEventListener' | 'send' | 'close'>;

const dialSameOrigin = (since: number | null): Dialled => {
  const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
  return new WebSocket(`${scheme}://${location.host}/api/ws${since === null ? '' : `?since=${since}`}`);
};
const onPageWake = (listener: () => void): void => {
  addEventListener('online', listener);
  document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && listener());
};

const pingEveryMs = 25_000;
const settleMs = 2000;
/** How long a socket may be open without a greeting: longer means that nobody knows whose it is. */
const patienceMs = 3000;
/** Of the contracts' close codes: the session has ended. */
const revoked = 4004;

/** One socket for the whole page; a reconnect tells the last `seq` it saw and so misses nothing. */
export const createPushSocket = ({
  onMessage,
  probe,
  dial = dialSameOrigin,
  onWake = onPageWake,
}: Deps): PushSocket => {
  const state = observable<PushState>('off');
  let socket: Dialled | null = null;
  let lastSeq: number | null = null;
  let attempt = 0;
  /** The socket that is open was greeted: it is known whose it is. */
  let welcome = false;
  let patience: ReturnType<typeof setTimeout> | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let ping: ReturnType<typeof setInterval> | undefined;

  const greeted = ({ seq, resumed }: { seq: number; resumed: boolean }): void => {
    attempt = 0;
    welcome = true;
    clearTimeout(patience);
    state.set('open');
    const own = socket;
    if (!resumed) lastSeq = seq;
    // What was missed follows at once; only then is the sequence of the greeting ours.
    else setTimeout(() => socket === own && (lastSeq = Math.max(lastSeq ?? 0, seq)), settleMs);
  };
  const receive = (message: PushMessage): void => {
    if (message.type === 'connection_established') greeted(message.data);
    else if (message.type === 'resync') lastSeq = message.data.seq;
    else if ('seq' in message) lastSeq = message.seq;
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
    clearTimeout(patience);
    socket = null;
    if (state.get() === 'off') return;
    // A token that ran out while the socket was open has a successor in the cookies already.
    if (code === revoked || !welcome) await probe().catch(() => undefined);
    again();
  };
  const connect = (): void => {
    clearTimeout(retry);
    state.set('connecting');
    welcome = false;
    const own = dial(lastSeq);
    socket = own;
    own.addEventListener('open', () => {
      patience = setTimeout(() => own.close(), patienceMs);
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
  onWake(() => {
    if (state.get() === 'waiting') connect();
  });
  return {
    state,
    open: () => {
      if (state.get() === 'off') connect();
    },
    close: () => {
      state.set('off');
      clearTimeout(retry);
      clearInterval(ping);
      clearTimeout(patience);
      lastSeq = null;
      attempt = 0;
      socket?.close(1000);
      socket = null;
    },
  };
};
