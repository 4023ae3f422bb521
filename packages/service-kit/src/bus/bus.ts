import { topology, type LiveDef, type ReplyOf, type RequestOf, type RpcDef } from '@overtone/contracts';
import type { JetStreamClient, JetStreamManager, JsMsg, KV, Msg, MsgHdrs, NatsConnection } from 'nats';
import type { z } from 'zod';
import { recordActivity } from '../activity.ts';
import { currentFlow } from '../context.ts';
import { unavailable } from '../errors.ts';
import { HealthProbe } from '../health-probe.ts';
import { BrokerConnection, type BrokerOptions } from './broker-connection.ts';
import { createResponder, createRequester } from './rpc.ts';

/** The broker counts as unresponsive after this time without a response, for requests that a client waits for. */
const silenceLimitMs = 4_000;

/** One connection to NATS: requests, live values and the handles that consumers and workers use. */
export type Bus = ReturnType<typeof createBus>;

export function createBus(brokerOptions: BrokerOptions) {
  const { service, log } = brokerOptions;
  const broker = new BrokerConnection(brokerOptions);
  const sendRequest = createRequester();
  const responder = createResponder(service, log);
  const health = new HealthProbe({
    silenceLimitMs,
    probe: (onResponse) => {
      void broker.nc.flush().then(onResponse, () => {});
      return () => {};
    },
    onStateChange: ({ unresponsive, rejected }) =>
      unresponsive
        ? log.warn({ rejected }, 'broker unresponsive: pending requests rejected')
        : log.info('broker responsive again'),
  });
  /** Rejects while the broker is unresponsive, if a client waits. Others keep their own time limits: jobs may wait. */
  const unlessUnresponsive = <T>(send: () => Promise<T>): Promise<T> => {
    if (!currentFlow()?.isAwaited) return send();
    return new Promise((resolve, reject) => {
      const settle = health.track(() => reject(brokerUnresponsive()));
      if (!settle) return reject(brokerUnresponsive());
      send().then(
        (value) => {
          settle(true);
          resolve(value);
        },
        (error: unknown) => {
          settle(false);
          reject(health.isSilent ? brokerUnresponsive() : error);
        },
      );
    });
  };
  return {
    service,
    log,
    connect: (): Promise<void> => broker.connect(),
    /** Whether the broker is reachable at this moment. */
    connected: (): boolean => broker.up,
    onRenewal: (listener: () => void): void => broker.onRenewal(listener),
    onDisconnect: (listener: () => void): void => broker.onDisconnect(listener),
    nc: (): NatsConnection => broker.nc,
    /** Stores a message in its stream. @throws AppError unavailable when the broker did not confirm it. */
    publish: (subject: string, data: string, options: { headers?: MsgHdrs } = {}): Promise<void> => {
      const { confirmer } = broker;
      recordActivity();
      return unlessUnresponsive(() => confirmer.publish(subject, data, options));
    },
    /** Acknowledges a delivery; resolves when the broker knows, so that it is never delivered again. */
    acknowledge: (msg: JsMsg): Promise<void> => broker.confirmer.acknowledge(msg),
    jetstream: (): JetStreamClient => broker.nc.jetstream(),
    jetstreamManager: (): Promise<JetStreamManager> => broker.nc.jetstreamManager(),
    /** An existing key-value bucket; the dispatcher makes LEASES and WORKERS. */
    kv: (bucket: string): Promise<KV> => broker.nc.jetstream().views.kv(bucket, { bindOnly: true }),
    /** One request with a reply. */
    ping: (): Promise<void> => broker.ping(),
    /**
     * Sends a request to another service. Never sent again once it was received: only the caller knows whether that is safe.
     * While a client waits for a response of this service, an unresponsive broker or service is reported within 5 s.
     * @throws AppError of the answering service's kind; `unavailable` without a reply in time.
     */
    request: async <R extends RpcDef>(def: R, request: RequestOf<R>): Promise<ReplyOf<R>> => {
      // The broker would refuse it with the rights of production only; a test must notice it with any.
      if (!topology[service].requests.some(({ subject }) => subject === def.subject))
        throw new Error(`the request ${def.subject} is not in the topology of ${service}`);
      const { nc } = broker;
      return unlessUnresponsive(() => sendRequest(nc, def, request));
    },
    /** Serves an RPC; replicas share the work through a queue group. */
    serve: <R extends RpcDef>(def: R, handler: (request: RequestOf<R>) => Promise<ReplyOf<R>>): void =>
      responder.serve(broker, def, handler),
    /** Accepts no more requests and finishes those in progress. */
    stopServing: (): Promise<void> => responder.stop(),
    /** Publishes a live value to every subscriber; a value that cannot be sent now is dropped. */
    publishLive: <L extends LiveDef>(def: L, data: z.infer<L['data']>): void => {
      if (broker.up) broker.nc.publish(def.subject, JSON.stringify(data));
    },
    /**
     * Every replica receives every live value or event, without state in the broker. A message that is invalid, or whose
     * handler fails, is logged and dropped.
     */
    subscribeLive: <L extends LiveDef>(
      { subject, data }: L,
      handler: (data: z.infer<L['data']>) => void,
      onDropped: () => void = () => {},
    ): void => {
      broker.subscribe(subject, (msg) => {
        // An exception in a callback would end the reader of the connection.
        try {
          handler(data.parse(msg.json()) as z.infer<L['data']>);
        } catch (err) {
          log.warn({ err: err as Error, subject }, 'live message dropped');
          onDropped();
        }
      });
    },
    /** Subscribes without a definition: deliveries of a push consumer. */
    subscribe: (subject: string, onMessage: (msg: Msg) => void): void => void broker.subscribe(subject, onMessage),
    close: async (): Promise<void> => {
      await broker.close();
      health.end();
    },
  };
}

function brokerUnresponsive() {
  return unavailable('broker_unavailable', 'The message broker does not respond. Please try again.');
}
