import { createInbox, type NatsConnection } from 'nats';
import pTimeout from 'p-timeout';
import { unavailable } from '../errors.ts';

const timeoutMs = 5_000;
/** A request that every bus user may send and that the broker itself answers. */
const subject = '$JS.API.INFO';

/**
 * Requests whose replies come to an inbox of the connection, as those of other services do. A pong proves less: it comes
 * over the socket of its ping, also when the broker knows two connections of one client. Then every reply comes twice.
 */
export function createRoundTrip(nc: NatsConnection, inboxPrefix: string): () => Promise<void> {
  const inbox = createInbox(inboxPrefix);
  const waiting = new Map<string, () => void>();
  let next = 0;
  let lastAnswered = '';
  let cameTwice = false;

  nc.subscribe(`${inbox}.*`, {
    callback: (_err, msg) => {
      const key = msg.subject.slice(inbox.length + 1);
      if (key === lastAnswered) cameTwice = true;
      const resolve = waiting.get(key);
      if (!resolve) return;
      waiting.delete(key);
      lastAnswered = key;
      resolve();
    },
  });

  const send = (key: string): Promise<void> =>
    new Promise((resolve) => {
      waiting.set(key, resolve);
      nc.publish(subject, undefined, { reply: `${inbox}.${key}` });
    });

  /** @throws when the connection is lost, no reply comes, or the reply to the previous request came twice. */
  return async () => {
    const doubled = cameTwice;
    cameTwice = false;
    const key = (next += 1).toString(36);
    try {
      await pTimeout(Promise.all([send(key), nc.flush()]), { milliseconds: timeoutMs });
    } finally {
      waiting.delete(key);
    }
    if (doubled) throw unavailable('broker_unavailable', 'The message broker has two connections of this service');
  };
}
