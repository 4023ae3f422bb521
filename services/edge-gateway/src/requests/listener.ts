import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { discardUnreadBody, type Log } from '@overtone/service-kit';
import type { Connections } from '../connections/connections.ts';
import {
  createRequestContext,
  observeExchange,
  refuseMalformed,
  sendRefusal,
  trackResponse,
  type Exchange,
  type Observers,
} from '../exchange/exchange.ts';
import { refusals } from '../refusals/refusals.ts';
import type { ClientViewOf } from '../routing/routing.ts';
import type { HandleRequest } from './requests.ts';

type Deps = Observers & {
  log: Log;
  clientView: ClientViewOf;
  connections: Connections;
  handleRequest: HandleRequest;
  onUpgrade: (req: IncomingMessage, socket: Duplex, head: Buffer) => void;
};

/** The only public port. */
export function createListener({ log, access, metrics, clientView, connections, handleRequest, onUpgrade }: Deps) {
  const open = (req: IncomingMessage, res: ServerResponse, expectsContinue: boolean): Exchange => {
    const exchange = Object.assign(createRequestContext(req, clientView(req)), { res, expectsContinue });
    observeExchange(exchange, { access, metrics });
    trackResponse(req.socket, res);
    discardUnreadBody(req, res);
    return exchange;
  };
  const onRequest = (expectsContinue: boolean) => (req: IncomingMessage, res: ServerResponse) => {
    const exchange = open(req, res, expectsContinue);
    handleRequest(exchange).catch((error: unknown) => sendRefusal(exchange, error, log));
  };

  const server = createServer({
    // Uploads take hours; what must be quick is the head. Bodies are watched while they come.
    requestTimeout: 0,
    headersTimeout: 15_000,
    connectionsCheckingInterval: 5_000,
    keepAliveTimeout: 75_000,
    noDelay: true,
    // Refused by checkRequest, with a problem document.
    requireHostHeader: false,
    // Any other protocol that a client offers is ignored (RFC 9110, 7.8).
    shouldUpgradeCallback: ({ headers: { upgrade = '' } }) => /(^|,)\s*websocket\s*(,|$)/i.test(upgrade),
  });
  connections.watch(server);
  server.on('request', onRequest(false));
  server.on('checkContinue', onRequest(true));
  // An Expect header with anything but 100-continue (RFC 9110, 10.1.1).
  server.on('checkExpectation', (req: IncomingMessage, res: ServerResponse) =>
    sendRefusal(open(req, res, false), refusals.wrongExpectation(), log),
  );
  server.on('clientError', refuseMalformed);
  server.on('upgrade', onUpgrade);
  return server;
}
