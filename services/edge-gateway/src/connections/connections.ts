import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { rateLimited, toProblem } from '@overtone/service-kit';
import { limitKey, plain, type ClientView } from '../routing/routing.ts';
import { rawAnswer, sendLast } from '../last-answer.ts';

export type ConnectionLimits = {
  /** Connections per client address, or requests at one time where a trusted proxy carries them; 0: no limit. */
  perAddress: number;
  /** Sockets to the push channel per client address that have not authenticated; 0: no limit. */
  unauthenticatedSocketsPerAddress: number;
};
export type Connections = ReturnType<typeof createConnections>;

/** The push channel closes a socket that has not authenticated long before this; one that is still open has. */
const authenticatedAfterMs = 60_000;

/**
 * Counts connections per client. A client at its limit loses the connection that has been without a request for the
 * longest time, for example one whose head never ends; only when all of them serve requests a new one is refused.
 */
export function createConnections(limits: ConnectionLimits, isTrustedProxy: (ip: string) => boolean) {
  /** Direct connections by client, those without a request in the order of their waiting. */
  const direct = new Map<string, Set<Socket>>();
  const openRequests = new WeakMap<Duplex, number>();
  const proxied = createCounter(limits.perAddress);
  const unauthenticated = createCounter(limits.unauthenticatedSocketsPerAddress);

  const admit = (socket: Socket): void => {
    const ip = plain(socket.remoteAddress ?? '');
    // A proxy's connections belong to many clients; their requests are counted instead.
    if (limits.perAddress === 0 || isTrustedProxy(ip)) return;
    const key = limitKey(ip);
    const sockets = direct.get(key) ?? new Set<Socket>();
    direct.set(key, sockets.add(socket));
    socket.once('close', () => {
      sockets.delete(socket);
      if (sockets.size === 0 && direct.get(key) === sockets) direct.delete(key);
    });
    if (sockets.size <= limits.perAddress) return;
    for (const waiting of sockets) {
      if (waiting === socket) return sendLast(socket, rawAnswer('429 Too Many Requests', toProblem(tooMany(), '')));
      if (openRequests.has(waiting)) continue;
      sockets.delete(waiting);
      waiting.destroy();
      return;
    }
  };

  const release = (socket: Socket): void => {
    const left = (openRequests.get(socket) ?? 1) - 1;
    if (left > 0) return void openRequests.set(socket, left);
    openRequests.delete(socket);
    const sockets = direct.get(limitKey(plain(socket.remoteAddress ?? '')));
    // To the end of the order: it has been without a request for the shortest time.
    if (sockets?.delete(socket)) sockets.add(socket);
  };

  return {
    watch: (server: Server): void => void server.on('connection', admit),
    /** A request has begun. @returns what to call at its end. @throws AppError rate_limited. */
    enter: (socket: Socket, client: Pick<ClientView, 'ip'>): (() => void) => {
      const leave = isTrustedProxy(plain(socket.remoteAddress ?? '')) ? proxied(limitKey(client.ip)) : free;
      if (!leave) throw tooMany();
      openRequests.set(socket, (openRequests.get(socket) ?? 0) + 1);
      return () => {
        leave();
        release(socket);
      };
    },
    /** A socket to the push channel is opened without a session. @throws AppError rate_limited. */
    enterUnauthenticated: (socket: Duplex, client: Pick<ClientView, 'ip'>): void => {
      const leave = unauthenticated(limitKey(client.ip));
      if (!leave) throw tooMany();
      const timer = setTimeout(leave, authenticatedAfterMs).unref();
      socket.once('close', () => {
        clearTimeout(timer);
        leave();
      });
    },
  };
}

function tooMany() {
  return rateLimited('rate_limited', 'Too many connections from this address', { retryAfterSeconds: 5 });
}

function free(): void {}

/** Counts what is open per key. @returns what ends one, to be called at most once in effect; undefined at the limit. */
function createCounter(limit: number) {
  const counts = new Map<string, number>();
  return (key: string): (() => void) | undefined => {
    const count = counts.get(key) ?? 0;
    if (limit === 0) return free;
    if (count >= limit) return undefined;
    counts.set(key, count + 1);
    let open = true;
    return () => {
      if (!open) return;
      open = false;
      const left = (counts.get(key) ?? 1) - 1;
      if (left > 0) counts.set(key, left);
      else counts.delete(key);
    };
  };
}
