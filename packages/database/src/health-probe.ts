import type { Duplex } from 'node:stream';
import { Client, type ClientBase } from 'pg';

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

export type HealthProbe = {
  /**
   * Registers a pending operation; `reject` is called when the server becomes unresponsive.
   * @returns a function that ends the registration. Its argument is true when the server has responded; it returns false
   * when the operation was rejected before. Undefined while the server is unresponsive: the operation must not start.
   */
  track: (reject: () => void) => ((responded: boolean) => boolean) | undefined;
  /** Accepts no new operations; pending ones are still rejected. */
  close: () => void;
};

/** Closes a connection locally, without a message to the server. */
export function destroyConnection(client: ClientBase): void {
  return void streamOf(client).destroy();
}

/** Probes with a new connection: its first byte counts as a response, and so does a refusal. */
export function createProbeConnection(url: string): ProbeConnection {
  return (onResponse) => {
    const client = new Client({ connectionString: url, application_name: 'probe' });
    client.on('error', () => {});
    streamOf(client).once('data', onResponse);
    client.connect().then(onResponse, onResponse);
    return () => destroyConnection(client);
  };
}

/** Silence is counted in ticks of this process's timer, so that a suspended or starved process does not count it. */
const ticksPerLimit = 16;
const ticksBeforeProbe = 4;

/**
 * Distinguishes an unresponsive server from one that executes a long statement, and so limits every wait for it.
 * Any response counts for all pending operations. After a quarter of `silenceLimitMs` without a response, a new
 * connection is opened as a probe. When the probe gets no response before `silenceLimitMs` either, the server is
 * unresponsive: pending operations are rejected, and new ones immediately, until a probe gets a response.
 */
export function createHealthProbe({ silenceLimitMs, probe, onStateChange }: Options): HealthProbe {
  const pending = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;
  let silentTicks = 0;
  let unresponsive = false;
  let closed = false;
  let cancelProbe: (() => void) | undefined;

  const reset = (): void => {
    silentTicks = 0;
    const cancel = cancelProbe;
    cancelProbe = undefined;
    cancel?.();
  };
  const recordResponse = (): void => {
    reset();
    if (!unresponsive) return;
    unresponsive = false;
    onStateChange({ unresponsive, rejected: 0 });
  };
  const startProbe = (): void => {
    cancelProbe?.();
    const cancel = probe(() => cancelProbe === cancel && recordResponse());
    cancelProbe = cancel;
  };
  const rejectPending = (): void => {
    const rejected = [...pending];
    pending.clear();
    unresponsive = true;
    onStateChange({ unresponsive, rejected: rejected.length });
    for (const reject of rejected) reject();
  };
  const tick = (): void => {
    timer = undefined;
    if (pending.size === 0 && (!unresponsive || closed)) {
      reset();
      return;
    }
    silentTicks += 1;
    if (silentTicks >= ticksPerLimit && !unresponsive) rejectPending();
    // Repeated while the server is unresponsive: the first probe may have been lost with the server.
    if (silentTicks % ticksPerLimit === ticksBeforeProbe) startProbe();
    scheduleTick();
  };
  const scheduleTick = (): void => {
    timer ??= setTimeout(tick, silenceLimitMs / ticksPerLimit).unref();
  };

  return {
    track: (reject) => {
      if (unresponsive) return undefined;
      // A new function each time: the set would count the same function once.
      const entry = (): void => reject();
      pending.add(entry);
      scheduleTick();
      return (responded) => {
        if (!pending.delete(entry)) return false;
        if (responded) recordResponse();
        return true;
      };
    },
    close: () => {
      closed = true;
      if (pending.size > 0) return;
      clearTimeout(timer);
      reset();
    },
  };
}

function streamOf(client: ClientBase): Duplex {
  return (client as unknown as { connection: { stream: Duplex } }).connection.stream;
}
