import { Client, type ClientBase } from 'pg';
import { destroyConnection } from './health-probe.ts';

type Options = {
  url: string;
  /** Queries that take longer are looked up at the server, at this interval. */
  checkEveryMs: number;
  /** Called with the number of queries that were rejected. */
  onLost: (queries: number) => void;
};
type Pending = { client: ClientBase; since: number; isSuspect: boolean; reject: () => void };

/**
 * Finds queries whose connection was dropped without a message while it was in use: no keep-alive message is sent while data is
 * unacknowledged, and TCP gives up after about 15 minutes. The server knows which queries it executes. One that it does not execute
 * in two checks in a row was lost, or its response was.
 */
export class LostQueries {
  readonly #options: Options;
  readonly #pending = new Set<Pending>();
  /** Connections whose process at the server is the one that their first message named; that of a pooler is none. */
  readonly #verified = new WeakSet<ClientBase>();
  #isScheduled = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Queries of a connection count as lost only after this. @param pid of the process that serves it, as the server says */
  verify(client: ClientBase, pid: number): void {
    if (pid === pidOf(client)) this.#verified.add(client);
  }

  /** @returns ends the registration of a query. */
  track(client: ClientBase, reject: () => void): () => void {
    const pending = { client, since: performance.now(), isSuspect: false, reject };
    this.#pending.add(pending);
    this.#schedule();
    return () => void this.#pending.delete(pending);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setTimeout(() => void this.#check(), this.#options.checkEveryMs).unref();
  }

  async #check(): Promise<void> {
    const now = performance.now();
    const long = [...this.#pending].filter(
      ({ client, since }) => this.#verified.has(client) && now - since > this.#options.checkEveryMs,
    );
    // Without a reply nothing is known; a server that does not respond is noticed by the health probe.
    const executing = long.length === 0 ? undefined : await this.#executingPids(long).catch(() => undefined);
    if (executing) this.#rejectLost(long, executing);
    this.#isScheduled = false;
    if (this.#pending.size > 0) this.#schedule();
  }

  #rejectLost(long: Pending[], executing: ReadonlySet<number>): void {
    // A query may have ended during the check.
    const idle = long.filter((query) => this.#pending.has(query) && !executing.has(pidOf(query.client)));
    const lost = idle.filter(({ isSuspect }) => isSuspect);
    for (const query of long) query.isSuspect = idle.includes(query);
    for (const query of lost) this.#pending.delete(query);
    if (lost.length > 0) this.#options.onLost(lost.length);
    for (const { reject } of lost) reject();
  }

  /** Asks on a new connection: those of the pool may all be lost. */
  async #executingPids(queries: Pending[]): Promise<ReadonlySet<number>> {
    const limits = { connectionTimeoutMillis: 5_000, query_timeout: 5_000 };
    const client = new Client({ connectionString: this.#options.url, application_name: 'probe', ...limits });
    client.on('error', () => {});
    try {
      await client.connect();
      const text = `select pid from pg_stat_activity where pid = any($1) and (state is null or state not like 'idle%')`;
      const { rows } = await client.query<{ pid: number }>(text, [queries.map(({ client }) => pidOf(client))]);
      return new Set(rows.map(({ pid }) => pid));
    } finally {
      destroyConnection(client);
    }
  }
}

/** The server process of a connection; the types of pg lack it. */
function pidOf(client: ClientBase): number {
  return (client as ClientBase & { processID: number }).processID;
}
