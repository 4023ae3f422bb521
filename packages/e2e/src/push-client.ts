import { pushMessage, type PushMessage } from '@overtone/contracts';
import { until } from './until.ts';

/** A message of the push channel and its time of receipt. */
export type ReceivedMessage = { at: number; message: PushMessage };
export type PushClient = {
  received: ReceivedMessage[];
  closed: Promise<number>;
  close: () => void;
  /** The highest sequence number received. */
  lastSeq: () => number;
};

/** A plain WebSocket client that authenticates in its first frame. */
export async function openPushClient(baseUrl: string, token: string, since?: number): Promise<PushClient> {
  const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/api/ws`);
  const received: ReceivedMessage[] = [];
  const closed = new Promise<number>((resolve) => socket.addEventListener('close', ({ code }) => resolve(code)));
  socket.addEventListener('message', (event) =>
    received.push({ at: Date.now(), message: pushMessage.parse(JSON.parse(String(event.data))) }),
  );
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('error', () => reject(new Error('the socket did not open')));
  });
  socket.send(JSON.stringify({ type: 'authenticate', token, ...(since === undefined ? {} : { since }) }));
  const closedEarly = closed.then((code): never => {
    throw new Error(`the socket was closed with ${code} before it was authenticated`);
  });
  const isAuthenticated = async () => received.some(({ message }) => message.type === 'connection_established');
  await Promise.race([until('the socket is authenticated', isAuthenticated), closedEarly]);
  return { received, closed, close: () => socket.close(), lastSeq: () => Math.max(...received.map(seqOf)) };
}

function seqOf({ message }: ReceivedMessage): number {
  return 'seq' in message ? message.seq : message.type === 'connection_established' ? message.data.seq : 0;
}
