import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { negotiate } from '../compression/compression.ts';
import { pageHeaders, type Exchange } from '../exchange/exchange.ts';
import { createAsset, extensionOf, type Asset } from './assets.ts';

export { createAsset, type Asset } from './assets.ts';

/** File names that the bundler derives from the content: such a file never changes. */
const hashed = /[-.][A-Za-z0-9_-]{8,64}\.[a-z0-9]{1,16}$/;

type Served = { route: string; asset: Asset; cacheControl: string };

/** Finds what a path of the UI means: a file, or the application itself, which knows its own paths. */
function createUi(dir: string | undefined) {
  let files = new Map<string, Asset>();
  // The UI may be built after the edge has started (first run).
  const load = () => {
    if (files.size === 0 && dir && existsSync(join(dir, 'index.html'))) files = readFolder(dir);
    return files;
  };
  load();
  return (path: string): Served | undefined => {
    const all = load();
    const file = path === '/' ? undefined : all.get(path);
    if (file && path !== '/index.html') {
      const forever = path.startsWith('/assets/') && hashed.test(path);
      const cacheControl = forever ? 'public, max-age=31536000, immutable' : 'public, max-age=300';
      return { route: forever ? '/assets/{file}' : '/{file}', asset: file, cacheControl };
    }
    const index = all.get('/index.html');
    if (!index || (path.startsWith('/assets/') && !file) || (extensionOf(path) !== '' && path !== '/index.html'))
      return undefined;
    return { route: '/{page}', asset: index, cacheControl: 'no-cache' };
  };
}

export type SendPage = (exchange: Exchange) => Promise<void>;

/** Every service answers these on its internal listener; on the public one they do not exist. */
const internal = /^\/(health|metrics)(\/|$)/;

/** Sends the UI, or 404 in plain text. */
export function createSendPage(dir: string | undefined): SendPage {
  const ui = createUi(dir);
  return async (exchange) => {
    const { path, req, res } = exchange;
    const isRead = req.method === 'GET' || req.method === 'HEAD';
    const found = isRead && !internal.test(path) ? ui(path) : undefined;
    if (found) {
      exchange.route = found.route;
      return sendAsset(exchange, found);
    }
    res.writeHead(404, [...pageHeaders(exchange), 'Content-Type', 'text/plain; charset=utf-8']);
    res.end(req.method === 'HEAD' ? undefined : 'Not found\n');
  };
}

/** Sends a file as small as the browser takes it, or 304 when the browser has it. */
export async function sendAsset(
  exchange: Exchange,
  { asset, cacheControl }: Pick<Served, 'asset' | 'cacheControl'>,
): Promise<void> {
  const { req, res } = exchange;
  const encoding = negotiate(req.headers['accept-encoding']);
  const encoded = encoding && (await asset.encoded(encoding));
  // The codings of a file are different bytes, so each has its own strong tag (RFC 9110, 8.8.3.3).
  const etag = encoded ? `${asset.etag.slice(0, -1)}-${encoding}"` : asset.etag;
  const head = [...pageHeaders(exchange), 'ETag', etag, 'Cache-Control', cacheControl, 'Vary', 'Accept-Encoding'];
  if (matches(req.headers['if-none-match'], etag)) {
    res.writeHead(304, head).end();
    return;
  }
  const body = encoded ?? asset.body;
  res.writeHead(200, [
    ...head,
    'Content-Type',
    asset.type,
    'Content-Length',
    String(body.length),
    ...(encoded && encoding ? ['Content-Encoding', encoding] : []),
  ]);
  res.end(req.method === 'HEAD' ? undefined : body);
}

/** The built UI, in memory: a few megabytes, read once. Source maps are left out; the product does not need them. */
function readFolder(dir: string): Map<string, Asset> {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter(
    (file) => file.isFile() && !file.name.endsWith('.map'),
  );
  return new Map(
    files.map((file) => {
      const full = join(file.parentPath, file.name);
      return [`/${relative(dir, full).split(sep).join('/')}`, createAsset(file.name, readFileSync(full))];
    }),
  );
}

/** Whether one of the tags that a client has is this one, by weak comparison (RFC 9110, 13.1.2). */
function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  return (ifNoneMatch ?? '').split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));
}
