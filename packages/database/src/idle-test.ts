import { Client, type ClientBase, type PoolClient, type QueryConfig, type QueryResult } from 'pg';
import { limitedQuery } from './limited-query.ts';

type Options = {
  /** A connection that does not respond for this time is dead. */
  silenceLimitMs: number;
  /** A connection that was idle for longer is tested. */
  trustedIdleMs: number;
};

/** Without the measurements of the pool's class: the statement does not belong to the request that waits for the connection. */
export const unmonitored: { query: (this: ClientBase, config: QueryConfig | string) => Promise<QueryResult> } =
  Client.prototype;

/**
 * Finds pool connections that a proxy or a NAT gateway dropped without a message: they look open, and a query on one would wait
 * for the TCP timeout of about 15 minutes. A connection in constant use is not tested.
 */
export class IdleTest {
  readonly #options: Options;
  readonly #releasedAt = new WeakMap<PoolClient, number>();
  /** Connections that were idle since before this time count as dead: what dropped one has probably dropped them all. */
  #suspectBefore = -Infinity;

  constructor(options: Options) {
    this.#options = options;
  }

  noteRelease(client: PoolClient): void {
    this.#releasedAt.set(client, performance.now());
  }

  isDue(client: PoolClient): boolean {
    return performance.now() - this.#idleSince(client) > this.#options.trustedIdleMs;
  }

  /** @returns false when the connection is dead and must be closed. */
  async passes(client: PoolClient): Promise<boolean> {
    if (this.#idleSince(client) < this.#suspectBefore) return false;
    const started = performance.now();
    try {
      await unmonitored.query.call(client, limitedQuery({ text: 'select 1' }, this.#options.silenceLimitMs));
      return true;
    } catch {
      // After a pause of this process the time is over before a response is read: this says nothing about the others.
      if (performance.now() - started < 1.5 * this.#options.silenceLimitMs)
        this.#suspectBefore = Math.max(this.#suspectBefore, started);
      return false;
    }
  }

  /** A new connection was never idle. */
  #idleSince(client: PoolClient): number {
    return this.#releasedAt.get(client) ?? Infinity;
  }
}
