import type { LiveDef, ReplyOf, RequestOf, RpcDef, ServiceName } from '@overtone/contracts';
import {
  connect,
  Events,
  type JetStreamClient,
  type JetStreamManager,
  type KV,
  type JsMsg,
  type MsgHdrs,
  type NatsConnection,
} from 'nats';
import type { z } from 'zod';
import { unavailable } from '../errors.ts';
import type { Log } from '../log.ts';
import { createConfirmer, type Confirmer } from './confirm.ts';
import { createResponder, createRequester } from './rpc.ts';

export type BusOptions = {
  service: ServiceName;
  url: string;
  user?: string | undefined;
  password?: string | undefined;
  log: Log;
};

/** One connection to NATS: requests, live values and the handles that consumers and workers use. */
export type Bus = ReturnType<typeof createBus>;

/** Time without a broker after which the log says that the service waits. */
const logWaitingAfterMs = 1_000;

export function createBus({ service, url, user, password, log }: BusOptions) {
  let connection: NatsConnection | undefined;
  let confirmer: Confirmer | undefined;
  const sendRequest = createRequester();
  const responder = createResponder(service, log);
  const reconnected: (() => void)[] = [];
  const lost: (() => void)[] = [];
  let up = false;
  let closed = false;

  const nc = (): NatsConnection => {
    if (!connection) throw unavailable('broker_unavailable', 'The message broker is not connected');
    return connection;
  };

  const confirmed = (): Confirmer => {
    if (!confirmer) throw unavailable('broker_unavailable', 'The message broker is not connected');
    return confirmer;
  };

  const watch = async (c: NatsConnection) => {
    for await (const s of c.status()) {
      if (s.type === Events.Disconnect) {
        up = false;
        log.warn('message broker lost');
        for (const f of lost) f();
      }
      if (s.type === Events.Reconnect) {
        up = true;
        log.info('message broker is back');
        for (const f of reconnected) f();
      }
    }
  };

  return {
    service,
    log,
    connect: async (): Promise<void> => {
      if (connection) return;
      const waiting = setTimeout(() => log.warn('waiting for the message broker'), logWaitingAfterMs);
      const made = await connect({
        servers: url,
        name: service,
        ...(user ? { user } : {}),
        ...(password ? { pass: password } : {}),
        inboxPrefix: `_INBOX.${service}`,
        maxReconnectAttempts: -1,
        reconnectTimeWait: 200,
        reconnectJitter: 100,
        waitOnFirstConnect: true,
        pingInterval: 5_000,
        maxPingOut: 2,
      }).finally(() => clearTimeout(waiting));
      if (closed) return made.close();
      connection = made;
      confirmer = createConfirmer(connection, `_INBOX.${service}`);
      up = true;
      void watch(connection);
    },
    /** Whether the broker is reachable at this moment. */
    connected: (): boolean => up,
    onReconnect: (f: () => void): void => void reconnected.push(f),
    onDisconnect: (f: () => void): void => void lost.push(f),
    nc,
    /** Stores a message in its stream. @throws AppError unavailable when the broker did not confirm it. */
    publish: (subject: string, data: string, options: { headers?: MsgHdrs; timeoutMs?: number } = {}): Promise<void> =>
      confirmed().publish(subject, data, options),
    /** Acknowledges a delivery; resolves when the broker knows, so that it is never delivered again. */
    acknowledge: (msg: JsMsg): Promise<void> => confirmed().acknowledge(msg),
    jetstream: (): JetStreamClient => nc().jetstream(),
    jetstreamManager: (): Promise<JetStreamManager> => nc().jetstreamManager(),
    /** An existing key-value bucket; the dispatcher makes LEASES and WORKERS. */
    kv: (bucket: string): Promise<KV> => nc().jetstream().views.kv(bucket, { bindOnly: true }),
    /** One round trip. */
    ping: async (): Promise<void> => {
      if (!up) throw unavailable('broker_unavailable', 'The message broker is not connected');
      await nc().flush();
    },
    /**
     * Sends a request to another service. Never sent again once it was received: only the caller knows whether that is safe.
     * @throws AppError of the answering service's kind; `unavailable` without a reply in time.
     */
    request: <R extends RpcDef>(def: R, request: RequestOf<R>): Promise<ReplyOf<R>> => sendRequest(nc(), def, request),
    /** Serves an RPC; replicas share the work through a queue group. */
    serve: <R extends RpcDef>(def: R, handler: (request: RequestOf<R>) => Promise<ReplyOf<R>>): void =>
      responder.serve(nc(), def, handler),
    /** Accepts no more requests and finishes those in progress. */
    stopServing: (): Promise<void> => responder.stop(),
    /** Publishes a live value to every subscriber; a value that cannot be sent now is dropped. */
    publishLive: <L extends LiveDef>(def: L, data: z.infer<L['data']>): void => {
      if (up) nc().publish(def.subject, JSON.stringify(data));
    },
    /** Every replica receives every live value. */
    subscribeLive: <L extends LiveDef>(def: L, handler: (data: z.infer<L['data']>) => void): void => {
      nc().subscribe(def.subject, {
        callback: (err, msg) => {
          const parsed = err ? undefined : def.data.safeParse(msg.json());
          if (parsed?.success) handler(parsed.data as z.infer<L['data']>);
        },
      });
    },
    close: async (): Promise<void> => {
      closed = true;
      await connection?.drain().catch(() => connection?.close());
    },
  };
}
