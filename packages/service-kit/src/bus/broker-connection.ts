import { streamCreatedAdvisory, type ServiceName } from '@overtone/contracts';
import { Events, type Msg, type NatsConnection, type Subscription } from 'nats';
import { unavailable } from '../errors.ts';
import type { Log } from '../log.ts';
import { connectBroker } from './broker-transport.ts';
import { createConfirmer, type Confirmer } from './confirm.ts';
import { createRoundTrip } from './round-trip.ts';

export type BrokerOptions = {
  service: ServiceName;
  url: string;
  user?: string | undefined;
  password?: string | undefined;
  log: Log;
};

/** Time without a broker after which the log says that the service waits. */
const logWaitingAfterMs = 1_000;

/** Time until a subscription that the broker refused is tried again. */
const refusedRetryMs = 5_000;

/** A subscription that outlives refusals. */
export type LastingSubscription = Pick<Subscription, 'drain'>;

/** Time for one attempt to connect, up to the broker's first pong. */
const attemptMs = 10_000;

/** One connection to NATS that reconnects automatically. */
export class BrokerConnection {
  readonly #options: BrokerOptions;
  readonly #onRenewal: (() => void)[] = [];
  readonly #onDisconnect: (() => void)[] = [];
  #open: { nc: NatsConnection; confirmer: Confirmer; roundTrip: () => Promise<void> } | undefined;
  #up = false;
  #closed = false;

  constructor(options: BrokerOptions) {
    this.#options = options;
  }

  async connect(): Promise<void> {
    if (this.#open) return;
    const { service, url, user, password, log } = this.#options;
    const inboxPrefix = `_INBOX.${service}`;
    const waiting = setTimeout(() => log.warn('waiting for the message broker'), logWaitingAfterMs);
    const nc = await connectBroker({
      servers: url,
      name: service,
      ...(user ? { user } : {}),
      ...(password ? { pass: password } : {}),
      inboxPrefix,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 200,
      reconnectJitter: 100,
      waitOnFirstConnect: true,
      timeout: attemptMs,
      pingInterval: 5_000,
      maxPingOut: 2,
    }).finally(() => clearTimeout(waiting));
    if (this.#closed) return nc.close();
    this.#open = {
      nc,
      confirmer: createConfirmer(nc, inboxPrefix),
      roundTrip: createRoundTrip(nc, inboxPrefix),
    };
    this.#up = true;
    this.subscribe(streamCreatedAdvisory, () => this.#renew());
    void this.#watch(nc);
  }

  /** Whether the broker is reachable at this moment. */
  get up(): boolean {
    return this.#up;
  }

  /** @throws AppError unavailable before the first connection. */
  get nc(): NatsConnection {
    return this.#assertOpen().nc;
  }

  /** @throws AppError unavailable before the first connection. */
  get confirmer(): Confirmer {
    return this.#assertOpen().confirmer;
  }

  /** What the broker held for this client may be gone: the connection is back, or a stream was created. */
  onRenewal(listener: () => void): void {
    this.#onRenewal.push(listener);
  }

  onDisconnect(listener: () => void): void {
    this.#onDisconnect.push(listener);
  }

  /**
   * Subscribes, and again while the broker refuses it: a broker may get the rights of a new version after the service, and
   * the client forgets a subscription that was refused.
   */
  subscribe(subject: string, onMessage: (msg: Msg) => void, options: { queue?: string } = {}): LastingSubscription {
    const { nc } = this;
    let retry: NodeJS.Timeout | undefined;
    const open = (): Subscription =>
      nc.subscribe(subject, {
        ...options,
        callback: (err, msg) => {
          if (!err) {
            retry = undefined;
            return onMessage(msg);
          }
          this.#options.log[retry ? 'debug' : 'error']({ err, subject }, 'subscription refused by the message broker');
          retry = setTimeout(() => {
            if (!nc.isClosed() && !nc.isDraining()) current = open();
          }, refusedRetryMs).unref();
        },
      });
    let current = open();
    return {
      drain: async () => {
        clearTimeout(retry);
        await current.drain();
      },
    };
  }

  /** One request with a reply. */
  async ping(): Promise<void> {
    if (!this.#up) throw notConnected();
    await this.#assertOpen().roundTrip();
  }

  async close(): Promise<void> {
    this.#closed = true;
    const nc = this.#open?.nc;
    await nc?.drain().catch(() => nc.close());
  }

  #assertOpen() {
    if (!this.#open) throw notConnected();
    return this.#open;
  }

  #renew(): void {
    for (const listener of this.#onRenewal) listener();
  }

  async #watch(nc: NatsConnection): Promise<void> {
    const { log } = this.#options;
    for await (const { type } of nc.status()) {
      if (type === Events.Disconnect) {
        this.#up = false;
        log.warn('message broker lost');
        for (const listener of this.#onDisconnect) listener();
      }
      if (type === Events.Reconnect) {
        this.#up = true;
        log.info('message broker is back');
        this.#renew();
      }
    }
  }
}

function notConnected() {
  return unavailable('broker_unavailable', 'The message broker is not connected');
}
