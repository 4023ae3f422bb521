import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type ClientBase } from 'pg';

type Waiting = { readonly since: number; readonly giveUp: () => void };

export type HangWatch = {
  /** A statement was sent; `giveUp` cuts its connection. @returns what to call when it was answered. */
  asked: (giveUp: () => void) => () => void;
};

/** Ends a connection from here, without a word that nobody would hear. */
export const cut = (client: ClientBase): void => {
  (client as unknown as { connection: { stream: Duplex } }).connection.stream.destroy();
};

/** Whether a new connection is answered at all, were it by a refusal. */
const answers = async (url: string, withinMs: number): Promise<boolean> => {
  const client = new Client({ connectionString: url, application_name: 'probe' });
  client.on('error', () => {});
  const over = new AbortController();
  const said = client.connect().then(
    () => true,
    () => true,
  );
  const late = sleep(withinMs, false, { signal: over.signal, ref: false }).catch(() => false);
  const alive = await Promise.race([said, late]);
  over.abort();
  cut(client);
  return alive;
};

/**
 * Tells a server that hangs from one that works on something long: when a statement has waited for `hangMs`, a new
 * connection is tried. If that stays without an answer for twice as long, those who wait are told that the database is away,
 * by having their connections cut; on the wire nothing else would ever tell them.
 */
export const createHangWatch = (d: { url: string; hangMs: number; tell: (waiting: number) => void }): HangWatch => {
  const waiting = new Set<Waiting>();
  let timer: NodeJS.Timeout | undefined;

  const look = async (): Promise<void> => {
    const now = performance.now();
    const long = [...waiting].filter(({ since }) => now - since >= d.hangMs);
    if (long.length > 0 && !(await answers(d.url, 2 * d.hangMs))) {
      const left = long.filter((w) => waiting.has(w));
      d.tell(left.length);
      for (const { giveUp } of left) giveUp();
    }
    timer = undefined;
    watch();
  };
  const watch = (): void => {
    if (timer || waiting.size === 0) return;
    timer = setTimeout(() => void look(), d.hangMs / 2).unref();
  };

  return {
    asked: (giveUp) => {
      const mine: Waiting = { since: performance.now(), giveUp };
      waiting.add(mine);
      watch();
      return () => void waiting.delete(mine);
    },
  };
};
