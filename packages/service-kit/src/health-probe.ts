/**
 * Tests whether a server responds.
 * @param onResponse may be called repeatedly.
 * @returns a cancel function.
 */
export type Probe = (onResponse: () => void) => () => void;
type Options = {
  /** The server counts as unresponsive after this time without a response. */
  silenceLimitMs: number;
  probe: Probe;
  /** Called when the server becomes unresponsive, with the number of rejected operations, and when it responds again. */
  onStateChange: (state: { unresponsive: boolean; rejected: number }) => void;
};

/** Silence is counted in ticks of this process's timer, so that a suspended or starved process does not count it. */
const ticksPerLimit = 16;
const ticksBeforeProbe = 4;

/**
 * The circuit breaker of a server. It distinguishes an unresponsive server from one that executes a long operation, and so
 * limits every wait for it. Any response counts for all pending operations. After a quarter of `silenceLimitMs` without
 * a response, the server is probed. When the probe gets no response before `silenceLimitMs` either, the
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

  /** Whether a probe has had no response for a tick or longer. */
  get isSilent(): boolean {
    return this.#cancelProbe !== undefined && this.#silentTicks > ticksBeforeProbe;
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
    // An operation may give up before the limit. The probe that was started because of it is waited for.
    if (this.#pending.size === 0 && !this.#unresponsive && !this.#cancelProbe) return this.#reset();
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
