import type { IncomingMessage } from 'node:http';
import { constants, createBrotliCompress, createGzip, createZstdCompress, type BrotliCompress } from 'node:zlib';

export type Encoding = 'zstd' | 'br' | 'gzip';

/** Below this the answer fits into one packet anyway. */
export const smallestCompressed = 1024;
const text =
  /^\s*(text\/|application\/([\w.-]+\+)?(json|xml)\b|application\/(javascript|x-ndjson|wasm)\b|image\/svg\+xml)/i;

export type ResponseHead = { status: number; headers: Record<string, string | string[] | undefined> };
export type Encoder = Pick<BrotliCompress, 'flush' | 'write' | 'end' | 'pipe' | 'destroy' | 'once' | 'on'>;

/** Quality and memory for answers that are made once per request. */
const create: Record<Encoding, (size: number | undefined) => Encoder> = {
  zstd: () => createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 3 } }),
  br: (size) =>
    createBrotliCompress({
      params: {
        [constants.BROTLI_PARAM_QUALITY]: 4,
        [constants.BROTLI_PARAM_LGWIN]: 19,
        ...(size === undefined ? {} : { [constants.BROTLI_PARAM_SIZE_HINT]: size }),
      },
    }),
  gzip: () => createGzip({ level: 6 }),
};

export type Compressed = {
  headers: ResponseHead['headers'];
  /** Undefined: the body is sent as it comes. */
  encoder: Encoder | undefined;
  /** The length of the answer is not known: what has arrived is sent on without waiting for more. */
  streaming: boolean;
};

/** Whether a route answers with secrets next to input that is reflected: never compressed. */
export function mixesSecrets(path: string): boolean {
  return path.startsWith('/api/auth/');
}

/** Compresses the answers of one request as its client takes them. */
export function createCompression({
  method,
  headers: { 'accept-encoding': accept },
}: Pick<IncomingMessage, 'method' | 'headers'>) {
  return (response: ResponseHead): Compressed => {
    const { 'content-length': length, ...others } = response.headers;
    const streaming = length === undefined;
    if (!isCompressible(response)) return { headers: response.headers, encoder: undefined, streaming };
    const vary = varyWith(one(others['vary']));
    const encoding = negotiate(accept);
    if (!encoding || method === 'HEAD')
      return { headers: { ...response.headers, vary }, encoder: undefined, streaming };
    const { etag } = others;
    return {
      // The bytes differ by coding, the meaning does not (RFC 9110, 8.8.3.3).
      headers: {
        ...others,
        vary,
        'content-encoding': encoding,
        ...(etag === undefined ? {} : { etag: weak(one(etag)) }),
      },
      encoder: create[encoding](streaming ? undefined : Number(length)),
      streaming,
    };
  };
}

function one(value: string | string[] | undefined): string {
  return Array.isArray(value) ? value.join(', ') : (value ?? '');
}

/** Whether an answer is text that may be compressed for a client that takes it. */
function isCompressible({ status, headers }: ResponseHead): boolean {
  if (status < 200 || status === 204 || status === 206 || status === 304) return false;
  const length = headers['content-length'];
  if (length !== undefined && Number(length) < smallestCompressed) return false;
  if (headers['content-encoding'] !== undefined || headers['content-range'] !== undefined) return false;
  // Media is served by ranges, and is compressed already.
  if (headers['accept-ranges'] !== undefined && one(headers['accept-ranges']) !== 'none') return false;
  // A cookie is a secret next to what a request may have caused to be reflected (the BREACH attack).
  if (headers['set-cookie'] !== undefined) return false;
  return !/\bno-transform\b/i.test(one(headers['cache-control'])) && text.test(one(headers['content-type']));
}

function varyWith(vary: string): string {
  const names = vary.split(',').map((name) => name.trim().toLowerCase());
  if (names.includes('*') || names.includes('accept-encoding')) return vary;
  return vary === '' ? 'Accept-Encoding' : `${vary}, Accept-Encoding`;
}

function weak(etag: string): string {
  return etag.startsWith('W/') ? etag : `W/${etag}`;
}
/** In the order of our preference, for a client that takes several equally. */
const encodings: readonly Encoding[] = ['zstd', 'br', 'gzip'];

/**
 * The content coding for a client, by its Accept-Encoding header (RFC 9110, 12.5.3); undefined: none. A client that
 * sends no such header may not be able to decode one.
 */
export function negotiate(accept: string | string[] | undefined): Encoding | undefined {
  const given = weights(String(accept ?? ''));
  const weightOf = (name: string): number => given.get(name) ?? given.get('*') ?? 0;
  // Unless it is named, no coding at all is what the client takes last.
  let best = given.get('identity') ?? 0;
  let chosen: Encoding | undefined;
  for (const encoding of encodings) {
    const weight = weightOf(encoding);
    if (weight === 0 || weight < best || (chosen && weight === best)) continue;
    best = weight;
    chosen = encoding;
  }
  return chosen;
}

function weights(accept: string): Map<string, number> {
  const found = new Map<string, number>();
  for (const item of accept.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
    if (name === '') continue;
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    const weight = quality === undefined ? 1 : /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(quality) ? Number(quality) : 0;
    found.set(name === 'x-gzip' ? 'gzip' : name, weight);
  }
  return found;
}
