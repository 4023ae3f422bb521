import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join, relative, sep } from 'node:path';
import { negotiate } from '../compression/compression.ts';
import { createAsset, extensionOf, type Asset } from './assets.ts';

export { createAsset, type Asset } from './assets.ts';

/** File names that the bundler derives from the content: such a file never changes. */
const hashed = /[-.][A-Za-z0-9_-]{8,}\.[a-z0-9]+$/;

export type Served = { route: string; asset: Asset; cacheControl: string };

/** Finds what a path of the UI means: a file, or the application itself, which knows its own paths. */
export function createUi(dir: string | undefined) {
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

/** Sends a file as small as the browser takes it, or says that it has it already. */
export async function sendAsset(
  req: IncomingMessage,
  res: ServerResponse,
  { asset, cacheControl }: Pick<Served, 'asset' | 'cacheControl'>,
  always: readonly string[],
): Promise<void> {
  const encoding = negotiate(req.headers['accept-encoding']);
  const encoded = encoding && (await asset.encoded(encoding));
  // The codings of a file are different bytes, so each has its own strong tag (RFC 9110, 8.8.3.3).
  const etag = encoded ? `${asset.etag.slice(0, -1)}-${encoding}"` : asset.etag;
  const head = [...always, 'ETag', etag, 'Cache-Control', cacheControl, 'Vary', 'Accept-Encoding'];
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
    (f) => f.isFile() && !f.name.endsWith('.map'),
  );
  return new Map(
    files.map((f) => {
      const full = join(f.parentPath, f.name);
      return [`/${relative(dir, full).split(sep).join('/')}`, createAsset(f.name, readFileSync(full))];
    }),
  );
}

/** Whether one of the tags that a client has is this one, by weak comparison (RFC 9110, 13.1.2). */
function matches(ifNoneMatch: string | undefined, etag: string): boolean {
  return (ifNoneMatch ?? '').split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));
}
