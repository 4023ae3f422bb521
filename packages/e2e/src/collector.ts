import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

/**
 * A receiver of OpenTelemetry spans. It does not decode them: a payload belongs to one service and contains trace ids as
 * raw bytes, so a search for both shows which services sent spans of a trace.
 */
export type Collector = Awaited<ReturnType<typeof startCollector>>;

export async function startCollector() {
  const payloads: Buffer[] = [];
  const server = createServer((req, res) => {
    const parts: Buffer[] = [];
    req.on('data', (part: Buffer) => parts.push(part));
    req.on('end', () => {
      const raw = Buffer.concat(parts);
      payloads.push(req.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw);
      res.writeHead(200, { 'content-type': req.headers['content-type'] ?? 'application/x-protobuf' }).end();
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const holds = (payload: Buffer, traceId: string): boolean =>
    payload.includes(Buffer.from(traceId, 'hex')) || payload.includes(traceId);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    /** The services of the list that sent spans of this trace. */
    servicesIn: (traceId: string, services: readonly string[]): string[] =>
      services.filter((name) => payloads.some((payload) => holds(payload, traceId) && payload.includes(name))),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
