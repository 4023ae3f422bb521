import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { toProblem } from '@overtone/service-kit';
import type { EdgeEnv } from '../env.ts';
import { rawResponse, refusals, sendLast } from '../refusals/refusals.ts';
import { createTrustedProxies, limitKey, plain, type ClientView } from '../routing/routing.ts';

export type Connections = ReturnType<typeof createConnections>;

/** The push channel closes a socket that has not authenticated long before this; one that is still open has. */
const authenticatedAfterMs = 60_000;

type IsTrustedProxy = (ip: string) => boolean;
type Limits = Pick<
  EdgeEnv,
  'MAX_CONNECTIONS_PER_ADDRESS' | 'MAX_UNAUTHENTICATED_SOCKETS_PER_ADDRESS' | 'TRUSTED_PROXIES'
>;

/** Limits connections, requests that trusted proxies carry, and sockets that have not authenticated, per client. */
export function createConnections({
  MAX_CONNECTIONS_PER_ADDRESS: perAddress,
  MAX_UNAUTHENTICATED_SOCKETS_PER_ADDRESS: unauthenticatedSockets,
  TRUSTED_PROXIES,
}: Limits) {
  const isTrustedProxy = createTrustedProxies(TRUSTED_PROXIES);
  const direct = createDirectConnections(perAddress, isTrustedProxy);
  const proxied = createCounter(perAddress);
  const unauthenticated = createCounter(unauthenticatedSockets);
  return {
    watch: (server: Server): void => void server.on('connection', direct.admit),
    /** A request has begun. @returns what to call at its end. @throws AppError rate_limited. */
    enter: (socket: Socket, client: Pick<ClientView, 'ip'>): (() => void) => {
      const leave = isTrustedProxy(plain(socket.remoteAddress ?? '')) ? proxied(limitKey(client.ip)) : free;
      if (!leave) throw refusals.tooManyConnections();
      direct.beginRequest(socket);
      return () => {
        leave();
        direct.endRequest(socket);
      };
    },
    /** A socket to the push channel is opened without a session. @throws AppError rate_limited. */
    enterUnauthenticated: (socket: Duplex, client: Pick<ClientView, 'ip'>): void => {
      const leave = unauthenticated(limitKey(client.ip));
      if (!leave) throw refusals.tooManyConnections();
      const timer = setTimeout(leave, authenticatedAfterMs).unref();
      socket.once('close', () => {
        clearTimeout(timer);
        leave();
      });
    },
  };
}

/**
 * Counts connections per client. A client at its limit loses the connection that has been without a request for the
 * longest time, for example one whose head never ends; only when all of them serve requests a new one is refused.
 */
function createDirectConnections(limit: number, isTrustedProxy: IsTrustedProxy) {
  /** By client; those without a request in the order of their waiting. */
  const connections = new Map<string, Set<Socket>>();
  const openRequests = new WeakMap<Duplex, number>();

  const admit = (socket: Socket): void => {
    const ip = plain(socket.remoteAddress ?? '');
    // A proxy's connections belong to many clients; their requests are counted instead.
    if (limit === 0 || isTrustedProxy(ip)) return;
    const key = limitKey(ip);
    const sockets = connections.get(key) ?? new Set<Socket>();
    connections.set(key, sockets.add(socket));
    socket.once('close', () => {
      sockets.delete(socket);
      if (sockets.size === 0 && connections.get(key) === sockets) connections.delete(key);
    });
    if (sockets.size > limit) makeRoom(sockets, socket);
  };

  const makeRoom = (sockets: Set<Socket>, newest: Socket): void => {
    for (const socket of sockets) {
      if (socket === newest)
        return sendLast(socket, rawResponse('429 Too Many Requests', toProblem(refusals.tooManyConnections(), '')));
      if (openRequests.has(socket)) continue;
      sockets.delete(socket);
      socket.destroy();
      return;
    }
  };

  return {
    admit,
    beginRequest: (socket: Socket): void => void openRequests.set(socket, (openRequests.get(socket) ?? 0) + 1),
    endRequest: (socket: Socket): void => {
      const left = (openRequests.get(socket) ?? 1) - 1;
      if (left > 0) return void openRequests.set(socket, left);
      openRequests.delete(socket);
      const sockets = connections.get(limitKey(plain(socket.remoteAddress ?? '')));
      // To the end of the order: it has been without a request for the shortest time.
      if (sockets?.delete(socket)) sockets.add(socket);
    },
  };
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
