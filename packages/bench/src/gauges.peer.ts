import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'nats';

/** The minimal work of the queue gauges: an HTTP response and, twice a second, one request to the broker. */
const nc = await connect({ servers: process.argv[2] ?? '' });
let at = 0;
let body = '';

async function read(): Promise<string> {
  if (Date.now() - at < 500) return body;
  body = (await nc.request('$JS.API.CONSUMER.LIST.JOBS', JSON.stringify({ offset: 0 }), { timeout: 60_000 })).string();
  at = Date.now();
  return body;
}

const server = createServer((_req, res) => void read().then((text) => res.end(text)));
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
