import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib';
import { smallestCompressed, type Encoding } from '../compression/compression.ts';

const types: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json',
  map: 'application/json',
  webmanifest: 'application/manifest+json',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
  wasm: 'application/wasm',
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
  ico: 'image/x-icon',
  woff: 'font/woff',
  woff2: 'font/woff2',
};
const compressible = /^(text\/|application\/(json|manifest|wasm)|image\/svg)/;

export function extensionOf(path: string): string {
  return /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '';
}

function typeOf(path: string): string {
  return types[extensionOf(path)] ?? 'application/octet-stream';
}

export type Asset = {
  type: string;
  etag: string;
  body: Buffer;
  /** Made when first asked for, and kept. */
  encoded: (encoding: Encoding) => Promise<Buffer | undefined>;
};

const compress: Record<Encoding, (body: Buffer) => Promise<Buffer>> = {
  zstd: (body: Buffer) => promisify(zstdCompress)(body, { params: { [constants.ZSTD_c_compressionLevel]: 12 } }),
  br: (body: Buffer) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
  gzip: (body: Buffer) => promisify(gzip)(body, { level: 6 }),
};

export function createAsset(path: string, body: Buffer): Asset {
  const type = typeOf(path);
  const kept = new Map<string, Promise<Buffer>>();
  return {
    type,
    etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    body,
    encoded: async (encoding) => {
      if (!compressible.test(type) || body.length < smallestCompressed) return undefined;
      const made = kept.get(encoding) ?? compress[encoding](body);
      kept.set(encoding, made);
      return made;
    },
  };
}
