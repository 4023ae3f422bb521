import type { Connection } from './connection.ts';
import type { Deadline } from './deadline.ts';
import { asFailure, DirectoryFailure } from './failures.ts';
import type { Health } from './health.ts';
import type { UnknownReason } from '../model.ts';
import type { ServerAddress } from './servers.ts';

/** Opens a connection that is ready for use. */
export type Open = (server: ServerAddress, deadline: Deadline) => Promise<Connection>;

const maxConnections = 16;
const idleMs = 60_000;
// A maximum age, so that recovered servers and rotated certificates are noticed.
const lifetimeMs = 10 * 60_000;

type Idle = {
  readonly connection: Connection;
  readonly since: number;
};

/** A pool of connections of one kind, each used for one request at a time. */
export class Pool {
  readonly #open: Open;
  readonly #health: Health<ServerAddress>;
  readonly #born = new WeakMap<Connection, number>();
  #idle: Idle[] = [];
  #used = 0;
  #waiting: (() => void)[] = [];
  #closed = false;
  readonly #janitor: NodeJS.Timeout;

  constructor(open: Open, health: Health<ServerAddress>) {
    this.#open = open;
    this.#health = health;
    this.#janitor = setInterval(() => this.#closeIdle(), idleMs / 2).unref();
  }

  /**
   * Runs the work with a connection; one that was lost while idle is replaced. Repeatable work continues
   * with another server when one is overloaded or unavailable.
   */
  async use<T>(
    deadline: Deadline,
    work: (connection: Connection) => Promise<T>,
    { repeatable = true }: { repeatable?: boolean } = {},
  ): Promise<T> {
    await this.#enter(deadline);
    try {
      const servers = this.#health.order().length;
      for (let attempt = 1; ; attempt += 1) {
        const kept = this.#takeIdle();
        const connection = kept ?? (await this.#connect(deadline));
        try {
          return await this.#run(connection, work);
        } catch (error) {
          const { lost, reason } = asFailure(error);
          if (lost && kept !== undefined) continue;
          if (isDown(reason) || !connection.isOpen()) this.#health.failed(connection.server);
          if (!repeatable || !isDown(reason) || attempt >= servers) throw error;
        }
      }
    } finally {
      this.#used -= 1;
      this.#waiting.shift()?.();
    }
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#janitor);
    for (const { connection } of this.#idle.splice(0)) connection.close();
  }

  async #run<T>(connection: Connection, work: (connection: Connection) => Promise<T>): Promise<T> {
    try {
      const result = await work(connection);
      this.#health.worked(connection.server);
      return result;
    } finally {
      this.#giveBack(connection);
    }
  }

  /** Tries the servers in order; each has its share of the remaining time. */
  async #connect(deadline: Deadline): Promise<Connection> {
    const servers = this.#health.order();
    let first: DirectoryFailure | undefined;
    for (const [index, server] of servers.entries()) {
      const share = deadline.within(deadline.remainingMs() / (servers.length - index));
      try {
        const connection = await this.#open(server, share);
        this.#born.set(connection, performance.now());
        return connection;
      } catch (error) {
        const failure = asFailure(error);
        // A rejected service account is not tried at other servers, because this could lock it.
        if (failure.reason === 'bind_failed') throw failure;
        this.#health.failed(server);
        first ??= failure;
      }
    }
    throw first ?? new DirectoryFailure('config', 'No server is set');
  }

  async #enter(deadline: Deadline): Promise<void> {
    if (this.#closed) throw new DirectoryFailure('unreachable', 'The directory is closed');
    this.#used += 1;
    if (this.#used <= maxConnections) return;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting = this.#waiting.filter((wanted) => wanted !== enter);
        this.#used -= 1;
        reject(new DirectoryFailure('busy', 'All connections to the directory are in use'));
      }, deadline.remainingMs());
      const enter = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#waiting.push(enter);
    });
  }

  #takeIdle(): Connection | undefined {
    for (let idle = this.#idle.pop(); idle !== undefined; idle = this.#idle.pop()) {
      if (this.#isFresh(idle)) return idle.connection;
      idle.connection.close();
    }
    return undefined;
  }

  #giveBack(connection: Connection): void {
    if (this.#closed || !connection.isOpen()) connection.close();
    else this.#idle.push({ connection, since: performance.now() });
  }

  #isFresh({ connection, since }: Idle): boolean {
    const now = performance.now();
    if (this.#health.isBad(connection.server)) return false;
    return connection.isOpen() && now - since < idleMs && now - (this.#born.get(connection) ?? 0) < lifetimeMs;
  }

  #closeIdle(): void {
    const [fresh, stale] = [this.#idle.filter((i) => this.#isFresh(i)), this.#idle.filter((i) => !this.#isFresh(i))];
    this.#idle = fresh;
    for (const { connection } of stale) connection.close();
  }
}

function isDown(reason: UnknownReason): boolean {
  return reason === 'busy' || reason === 'unreachable';
}
