import { setTimeout as sleep } from 'node:timers/promises';
import { isAppError, version } from '@overtone/service-kit';
import { refusalOf, type OutboundGuard } from '@overtone/service-kit/outbound';
import { request, type Dispatcher } from 'undici';
import { downloadFailures } from './failures.ts';
import {
  filenameOf,
  isPage,
  lengthOf,
  mediaTypeOf,
  parseContentRange,
  rateFloor,
  validatorOf,
  type Validator,
} from './responses.ts';

export type DownloadLimits = {
  maxBytes: number;
  /** Without a byte for this long a connection is interrupted. */
  silenceMs: number;
  /** Interruptions in a row without a new byte until the download fails. */
  maxFruitless: number;
  /** Pause before the connection is opened again; doubled with every fruitless one. */
  pauseMs: number;
  /** A source must send `bytes` within `everyMs`. */
  floor: { bytes: number; everyMs: number };
};
export const downloadLimits: Omit<DownloadLimits, 'maxBytes'> = {
  silenceMs: 30_000,
  maxFruitless: 5,
  pauseMs: 500,
  floor: { bytes: 64 * 1024, everyMs: 60_000 },
};

export type Download = {
  filename: string;
  declaredType: string;
  /** null: the server did not say. */
  totalBytes: number | null;
  /** Continues over interruptions. To be read once. */
  body: AsyncIterable<Buffer>;
};
type DownloadDeps = { guard: OutboundGuard; dispatcher: Dispatcher; limits: DownloadLimits };
type Response = Dispatcher.ResponseData;
type Opened = { response: Response; url: URL };

const maxRedirects = 5;
const redirects = new Set([301, 302, 303, 307, 308]);
/** A server that only interrupts gets no further than this. */
const maxInterruptions = 1_000;

/** Opens a media address. @returns null for a page. @throws AppError; permanent when another attempt cannot help. */
export async function openDownload(
  address: string,
  { guard, dispatcher, limits }: DownloadDeps,
  signal: AbortSignal,
): Promise<Download | null> {
  const start = guard.checkUrl(address);
  const open = (headers: Record<string, string> = {}): Promise<Opened> =>
    follow(start, { guard, dispatcher, limits, headers, signal });
  const first = await open();
  const { response, url } = first;
  const totalBytes = lengthOf(response.headers);
  const failure =
    response.statusCode !== 200
      ? failureOfStatus(response.statusCode)
      : totalBytes !== null && totalBytes > limits.maxBytes
        ? downloadFailures.tooLarge(limits.maxBytes)
        : undefined;
  const page = isPage(response.headers);
  if (failure ?? page) discard(response);
  if (failure) throw failure;
  if (page) return null;
  const source = { totalBytes, validator: validatorOf(response.headers) };
  return {
    filename: filenameOf(response.headers, url),
    declaredType: mediaTypeOf(response.headers),
    totalBytes,
    body: readOn(first, { source, open, limits, signal }),
  };
}

type Source = { totalBytes: number | null; validator: Validator };
type Reading = {
  source: Source;
  /** Also follows the redirects again: their target may have expired. */
  open: (headers?: Record<string, string>) => Promise<Opened>;
  limits: DownloadLimits;
  signal: AbortSignal;
};

/** The bytes of a source in order, over as many connections as it takes. */
async function* readOn(first: Opened, { source, open, limits, signal }: Reading): AsyncIterable<Buffer> {
  let received = 0;
  let fruitless = 0;
  let next: Opened | undefined = first;
  const measure = rateFloor(limits.floor, () => downloadFailures.tooSlow());
  for (let connections = 1; ; connections += 1) {
    const before = received;
    let interruption: unknown;
    try {
      const body = await connect(source, received, next, open);
      next = undefined;
      if (body === 'complete') return;
      for await (const chunk of body) {
        received += chunk.length;
        measure(chunk.length);
        yield chunk;
      }
      if (source.totalBytes === null || received === source.totalBytes) return;
      if (received > source.totalBytes) throw downloadFailures.changed();
    } catch (error) {
      signal.throwIfAborted();
      if (isAppError(error) && (error.permanent || error.code === 'source_incomplete')) throw error;
      interruption = error;
    }
    // The rest may belong to another version: the download begins again (RFC 9110, 15.3.7.3).
    if (received > 0 && source.validator === null) throw downloadFailures.incomplete({ cause: interruption });
    next = undefined;
    fruitless = received === before ? fruitless + 1 : 0;
    if (fruitless > limits.maxFruitless || connections > maxInterruptions) throw downloadFailures.incomplete();
    await sleep(limits.pauseMs * 2 ** fruitless, undefined, { signal });
  }
}

/** The body of the source from `offset` on. */
async function connect(
  { totalBytes, validator }: Source,
  offset: number,
  opened: Opened | undefined,
  open: Reading['open'],
): Promise<AsyncIterable<Buffer> | 'complete'> {
  if (opened) return opened.response.body as AsyncIterable<Buffer>;
  const headers = { range: `bytes=${offset}-`, ...(validator ? { 'if-range': validator.value } : {}) };
  const { response } = await open(offset === 0 ? {} : headers);
  const { statusCode, body } = response;
  const range = parseContentRange(response.headers['content-range']);
  const fail = (error: Error): never => {
    discard(response);
    throw error;
  };
  const isSame = validator === null || validatorOf(response.headers)?.value === validator.value;
  if (statusCode === 416 && totalBytes === null && range?.total === offset) {
    discard(response);
    return 'complete';
  }
  if (statusCode === 206) {
    const fits = range?.start === offset && (totalBytes === null || range.total === null || range.total === totalBytes);
    return fits && isSame ? (body as AsyncIterable<Buffer>) : fail(downloadFailures.changed());
  }
  if (statusCode !== 200) return fail(failureOfStatus(statusCode));
  // The server sends everything again: it knows no ranges, or has another version now.
  const isSameLength = totalBytes === null || lengthOf(response.headers) === totalBytes;
  if (!isSame || !isSameLength) return fail(downloadFailures.changed());
  return offset === 0 ? (body as AsyncIterable<Buffer>) : skip(body as AsyncIterable<Buffer>, offset);
}

async function* skip(body: AsyncIterable<Buffer>, offset: number): AsyncIterable<Buffer> {
  let left = offset;
  for await (const chunk of body) {
    if (chunk.length > left) yield left === 0 ? chunk : chunk.subarray(left);
    left = Math.max(0, left - chunk.length);
  }
}

type Following = DownloadDeps & { headers: Record<string, string>; signal: AbortSignal };

/** Sends a GET request and follows redirects; each target is checked like the first address. */
async function follow(start: URL, { guard, dispatcher, limits, headers, signal }: Following): Promise<Opened> {
  let url = start;
  for (let hops = 0; hops <= maxRedirects; hops += 1) {
    const response = await send(url, { dispatcher, limits, headers, signal });
    if (!redirects.has(response.statusCode)) return { response, url };
    discard(response);
    url = targetOf(url, response, guard);
  }
  throw downloadFailures.tooManyRedirects();
}

function targetOf(url: URL, { headers, statusCode }: Response, guard: OutboundGuard): URL {
  const location = headers['location'];
  if (typeof location !== 'string' || !URL.canParse(location, url.href)) throw downloadFailures.refused(statusCode);
  return guard.checkUrl(new URL(location, url).href);
}

type Sending = Pick<Following, 'dispatcher' | 'limits' | 'headers' | 'signal'>;

async function send(url: URL, { dispatcher, limits, headers, signal }: Sending): Promise<Response> {
  try {
    return await request(url, {
      dispatcher,
      signal,
      headersTimeout: limits.silenceMs,
      bodyTimeout: limits.silenceMs,
      headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': `Overtone/${version}`, ...headers },
    });
  } catch (error) {
    signal.throwIfAborted();
    throw refusalOf(error) ?? downloadFailures.unreachable({ cause: error });
  }
}

function failureOfStatus(status: number): Error {
  const isTemporary = status >= 500 || status === 408 || status === 425 || status === 429;
  return isTemporary ? downloadFailures.unreachable({ detail: `status ${status}` }) : downloadFailures.refused(status);
}

/** Ends the connection of a response that is not read. */
function discard({ body }: Response): void {
  body.on('error', () => undefined);
  body.destroy();
}
