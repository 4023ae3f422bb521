import { pushMessage, type PushMessage } from '@overtone/contracts';
import { until } from './runner.ts';

/** A message of the push channel and when it came. */
export type Heard = { at: number; message: PushMessage };
export type Listener = {
  heard: Heard[];
  closed: Promise<number>;
  close: () => void;
  /** The last number that was heard. */
  lastSeq: () => number;
};

const lastSeq = (heard: Heard[]): number =>
  Math.max(
    ...heard.map(({ message: m }) => ('seq' in m ? m.seq : m.type === 'connection_established' ? m.data.seq : 0)),
  );

/** A plain WebSocket client that authenticates in its first frame. */
export const listen = async (baseUrl: string, token: string, since?: number): Promise<Listener> => {
  const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/api/ws`);
  const heard: Heard[] = [];
  const closed = new Promise<number>((done) => socket.addEventListener('close', (e) => done(e.code)));
  socket.addEventListener('message', (event) =>
    heard.push({ at: Date.now(), message: pushMessage.parse(JSON.parse(String(event.data))) }),
  );
  await new Promise<void>((done, fail) => {
    socket.addEventListener('open', () => done());
    socket.addEventListener('error', () => fail(new Error('the socket did not open')));
  });
  socket.send(JSON.stringify({ type: 'authenticate', token, ...(since === undefined ? {} : { since }) }));
  const early = closed.then((code): never => {
    throw new Error(`the socket was closed with ${code} before it was welcomed`);
  });
  const welcomed = async () => heard.some((h) => h.message.type === 'connection_established');
  await Promise.race([until('the socket is welcomed', welcomed), early]);
  return { heard, closed, close: () => socket.close(), lastSeq: () => lastSeq(heard) };
};
