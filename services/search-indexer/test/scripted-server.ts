import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export type Asked = {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  query: Record<string, string>;
  body: unknown;
};
/** null: the server does not respond. */
type Answer = { status?: number; body: unknown } | null;

function parse(type: string, text: string): unknown {
  if (text === '') return undefined;
  // _bulk and _msearch: one JSON document per line.
  if (type.includes('ndjson'))
    return text
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
  return JSON.parse(text);
}

/** A fake Elasticsearch server that responds by a script and records the requests. */
export async function startScriptedServer(
  script: (asked: Asked) => Answer | undefined,
  tls?: { key: string; cert: string },
) {
  const asked: Asked[] = [];
  const respond: RequestListener = (req, res) => {
    let text = '';
    req.setEncoding('utf8').on('data', (part: string) => (text += part));
    req.on('end', () => {
      const url = new URL(req.url ?? '/', 'http://server');
      const request = {
        method: req.method ?? '',
        path: decodeURIComponent(url.pathname),
        headers: req.headers,
        query: Object.fromEntries(url.searchParams),
        body: parse(req.headers['content-type'] ?? '', text),
      };
      asked.push(request);
      const answer = script(request);
      if (answer === null) return;
      const { status = 200, body } = answer ?? { status: 500, body: { error: `not scripted: ${request.path}` } };
      res.writeHead(status, { 'content-type': 'application/json', 'x-elastic-product': 'Elasticsearch' });
      res.end(JSON.stringify(body));
    });
  };
  const server = tls ? createSecureServer(tls, respond) : createServer(respond);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
