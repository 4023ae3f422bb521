import { Client } from 'pg';

/**
 * Opens a separate connection to test whether the server responds.
 * @param onResponse may be called repeatedly.
 * @returns a cancel function.
 */
export type ProbeConnection = (onResponse: () => void) => () => void;
type Options = {
  /** The server counts as unresponsive after this time without a response. */
  silenceLimitMs: number;
  probe: ProbeConnection;
  /** Called when the server becomes unresponsive, with the number of rejected operations, and when it responds again. */
  onStateChange: (state: { unresponsive: boolean; rejected: number }) => void;
};

/** Closes a connection locally, without a message to the server. */
export function destroyConnection(client: Client): void {
  client.connection.stream.destroy();
}

/** Probes with a new connection: its first byte counts as a response, and so does a refusal. */
export function createProbeConnection(url: string): ProbeConnection {
  return (onResponse) => {
    const client = new Client({ connectionString: url, application_name: 'probe' });
    client.on('error', () => {});
    client.connection.stream.once('data', onResponse);
    client.connect().then(onResponse, onResponse);
    return () => destroyConnection(client);
  };
}

/** Silence is counted in ticks of this process's timer, so that a suspended or starved process does not count it. */
const ticksPerLimit = 16;
const ticksBeforeProbe = 4;

/**
 * The circuit breaker of a pool. It distinguishes an unresponsive server from one that executes a long statement, and so
 * limits every wait for it. Any response counts for all pending operations. After a quarter of `silenceLimitMs` without
 * a response, a new connection is opened as a probe. When the probe gets no response before `silenceLimitMs` either, the
 * server is unresponsive: pending operations are rejected, and new ones immediately, until a probe gets a response.
 * (Breaker libraries count failed calls; here pending calls must fail before they return.)
 */
export class HealthProbe {
  readonly #options: Options;
  readonly #pending = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;
  #silentTicks = 0;
  #unresponsive = false;
  #cancelProbe: (() => void) | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /**
   * Registers a pending operation; `reject` is called when the server becomes unresponsive.
   * @returns a function that ends the registration. Its argument is true when the server has responded; it returns false
   * when the operation was rejected before. Undefined while the server is unresponsive: the operation must not start.
   */
  track(reject: () => void): ((responded: boolean) => boolean) | undefined {
    if (this.#unresponsive) return undefined;
    // A new function each time: the set would count the same function once.
    const entry = (): void => reject();
    this.#pending.add(entry);
    this.#scheduleTick();
    return (responded) => {
      if (!this.#pending.delete(entry)) return false;
      if (responded) this.#recordResponse();
      return true;
    };
  }

  /** Rejects pending operations and stops the timer: nothing responds any more. */
  end(): void {
    const rejected = [...this.#pending];
    this.#pending.clear();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#reset();
    for (const reject of rejected) reject();
  }

  #scheduleTick(): void {
    this.#timer ??= setTimeout(() => this.#tick(), this.#options.silenceLimitMs / ticksPerLimit).unref();
  }

  #tick(): void {
    this.#timer = undefined;
    if (this.#pending.size === 0 && !this.#unresponsive) return this.#reset();
    this.#silentTicks += 1;
    if (this.#silentTicks >= ticksPerLimit && !this.#unresponsive) this.#rejectPending();
    // Repeated while the server is unresponsive: the first probe may have been lost with the server.
    if (this.#silentTicks % ticksPerLimit === ticksBeforeProbe) this.#startProbe();
    this.#scheduleTick();
  }

  #startProbe(): void {
    this.#cancelProbe?.();
    const cancel = this.#options.probe(() => this.#cancelProbe === cancel && this.#recordResponse());
    this.#cancelProbe = cancel;
  }

  #rejectPending(): void {
    const rejected = [...this.#pending];
    this.#pending.clear();
    this.#unresponsive = true;
    this.#options.onStateChange({ unresponsive: true, rejected: rejected.length });
    for (const reject of rejected) reject();
  }

  #recordResponse(): void {
    this.#reset();
    if (!this.#unresponsive) return;
    this.#unresponsive = false;
    this.#options.onStateChange({ unresponsive: false, rejected: 0 });
  }

  #reset(): void {
    this.#silentTicks = 0;
    const cancel = this.#cancelProbe;
    this.#cancelProbe = undefined;
    cancel?.();
  }
}
