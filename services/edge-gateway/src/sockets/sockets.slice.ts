import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { assertionHeader, notFound, type HealthProbe, type Slice } from '@overtone/service-kit';
import { credentialsOf, isSameOrigin, type Callers } from '../callers/callers.ts';
import type { Connections } from '../connections/connections.ts';
import {
  checkRequest,
  createRecorder,
  createRequestContext,
  forwardedHeaders,
  type Observers,
  type RequestContext,
} from '../exchange/exchange.ts';
import { refusals, refuseUpgrade } from '../refusals/refusals.ts';
import { isPushChannel, pushChannel, requestHeaders, type ClientViewOf } from '../routing/routing.ts';
import { tunnel } from './tunnel.ts';

type SocketsSlice = Slice & { onUpgrade: OnUpgrade };
type Deps = Observers & {
  callers: Callers;
  connections: Connections;
  clientView: ClientViewOf;
  realtime: URL;
  healthProbe: Pick<HealthProbe, 'track'>;
};
type OnUpgrade = (req: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Joins WebSockets to the push channel: limit, authenticate, tunnel. */
export function createSocketsSlice({
  access,
  metrics,
  callers,
  connections,
  clientView,
  realtime,
  healthProbe,
}: Deps): SocketsSlice {
  const tunnels = createTunnels();
  const join = async (context: RequestContext, socket: Duplex, head: Buffer, reply: Reply): Promise<void> => {
    const { client, path, req } = context;
    checkRequest(context);
    // While it is open it is not closed in favour of a new connection.
    socket.once('close', connections.enter(req.socket, client));
    if (!isPushChannel(path)) throw notFound();
    context.route = pushChannel.path;
    const { bearer, cookies } = credentialsOf(req.headers);
    // A page of another site can open a socket with the user's cookies: it is treated as not signed in.
    const caller = await callers.authenticate({ bearer, cookies: isSameOrigin(context) ? cookies : {} });
    // A socket that opens after the others were closed would end without a close frame when the process exits.
    if (tunnels.closing()) throw refusals.restarting();
    const session = caller?.session ?? null;
    context.userId = session?.userId ?? null;
    if (!session) connections.enterUnauthenticated(socket, client);
    const headers = [
      ...requestHeaders(req.rawHeaders),
      assertionHeader,
      callers.assertion('realtime-gateway', session),
      ...forwardedHeaders(context),
    ];
    tunnels.add(socket, tunnel({ req, socket, head, to: realtime, headers, healthProbe, ...reply }));
  };
  const onUpgrade: OnUpgrade = (req, socket, head) => {
    socket.on('error', () => socket.destroy());
    const context = createRequestContext(req, clientView(req));
    const answered = createRecorder(context, { access, metrics });
    const refuse = (thrown: unknown): void => answered(refuseUpgrade(socket, thrown, context.requestId));
    join(context, socket, head, { answered, refuse }).catch(refuse);
  };
  // Open sockets would keep a stopping edge from closing its listener.
  return { onUpgrade, beforeClose: tunnels.close };
}

/** How an upgrade is answered: by the push channel with a status, or by a refusal. */
type Reply = { answered: (status: number) => void; refuse: (thrown: unknown) => void };

/** The open WebSockets, each with the function that ends it. */
function createTunnels() {
  const open = new Map<Duplex, () => void>();
  let closing = false;
  return {
    closing: (): boolean => closing,
    add: (socket: Duplex, end: () => void): void => {
      socket.once('close', () => open.delete(socket));
      open.set(socket, end);
    },
    close: async (): Promise<void> => {
      closing = true;
      const closed = [...open].map(([socket, end]) => {
        const over = new Promise((resolve) => socket.once('close', resolve));
        end();
        return over;
      });
      await Promise.all(closed);
    },
  };
}
