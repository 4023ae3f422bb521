import type { Duplex } from 'node:stream';
import { Client, type ClientBase } from 'pg';

/** Asks the server for anything, beside all others. `heard` may come more than once. @returns what ends it. */
export type Knock = (heard: () => void) => () => void;
type Options = {
  /** How long a server may say nothing to anybody who waits for it. */
  hangMs: number;
  knock: Knock;
  /** The server began to hang, and so many were told; or it answers again. */
  say: (is: { hangs: boolean; told: number }) => void;
};

export type HangWatch = {
  /**
   * Somebody begins to wait for the server, and is told if it hangs. @returns what to call when that is over, and
   * whether the server had said something; it answers false to whoever was told meanwhile. Undefined while the server
   * hangs: nobody need ask it.
   */
  asked: (tell: () => void) => ((answered: boolean) => boolean) | undefined;
  /** Nobody new will ask; who waits is still told. */
  close: () => void;
};

const streamOf = (client: ClientBase): Duplex =>
  (client as unknown as { connection: { stream: Duplex } }).connection.stream;

/** Ends a connection from here, without a word that nobody would hear. */
export const cut = (client: ClientBase): void => void streamOf(client).destroy();

/** A new connection: its first byte is an answer, and so is a refusal. */
export const knockAt =
  (url: string): Knock =>
  (heard) => {
    const client = new Client({ connectionString: url, application_name: 'probe' });
    client.on('error', () => {});
    streamOf(client).once('data', heard);
    client.connect().then(heard, heard);
    return () => cut(client);
  };

/** The silence is counted in turns of our own clock: a process that was stopped itself, or starved, blames nobody. */
const turns = 16;
const turnsToKnock = 4;

/**
 * Tells a server that hangs from one that works on something long, and so bounds every wait for it. As long as anybody
 * hears from the server it is well. When nobody who waits has heard anything for a quarter of `hangMs`, a new
 * connection is tried; when that is not answered either until `hangMs` are over, the server hangs: everybody who waits
 * is told, on the wire nothing else ever would, and who asks is told at once, until a new connection is answered.
 */
export const createHangWatch = ({ hangMs, knock, say }: Options): HangWatch => {
  const waiting = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;
  let silent = 0;
  let hangs = false;
  let closed = false;
  let leave: (() => void) | undefined;

  const rest = (): void => {
    silent = 0;
    const end = leave;
    leave = undefined;
    end?.();
  };
  const heard = (): void => {
    rest();
    if (!hangs) return;
    hangs = false;
    say({ hangs, told: 0 });
  };
  const tryAnother = (): void => {
    leave?.();
    const end = knock(() => leave === end && heard());
    leave = end;
  };
  const tellAll = (): void => {
    const told = [...waiting];
    waiting.clear();
    hangs = true;
    say({ hangs, told: told.length });
    for (const tell of told) tell();
  };
  const turn = (): void => {
    timer = undefined;
    if (waiting.size === 0 && (!hangs || closed)) {
      rest();
      return;
    }
    silent += 1;
    if (silent >= turns && !hangs) tellAll();
    // While it hangs another is tried now and then: the first may have got lost with the server.
    if (silent % turns === turnsToKnock) tryAnother();
    watch();
  };
  const watch = (): void => {
    timer ??= setTimeout(turn, hangMs / turns).unref();
  };

  return {
    asked: (tell) => {
      if (hangs) return undefined;
      // Twice the same would count as one.
      const mine = (): void => tell();
      waiting.add(mine);
      watch();
      return (answered) => {
        if (!waiting.delete(mine)) return false;
        if (answered) heard();
        return true;
      };
    },
    close: () => {
      closed = true;
      if (waiting.size > 0) return;
      clearTimeout(timer);
      rest();
    },
  };
};
