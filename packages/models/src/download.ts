import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, rm, stat, truncate, type FileHandle } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { refusalOf, refuseKnownAddress, type OutboundGuard } from '@overtone/service-kit/outbound';
import { fetch as fetchThrough, type Dispatcher, type Response as GuardedResponse } from 'undici';
import { z } from 'zod';
import type { Download } from './catalogue.ts';
import { ModelError, reasonOf } from './errors.ts';
import { freeBytes, readJson, sha256Of, writeJson } from './files.ts';

export type DownloadOptions = {
  /** Longest silence of a server. */
  idleMs: number;
  /** First pause before a retry; doubled up to 60 times of it. */
  backoffMs: number;
  /** Failures of one source without a new byte before the next source is tried. */
  attempts: number;
  /** Free space that a download leaves on the disk. */
  reserveBytes: number;
};
export const defaultDownloadOptions: DownloadOptions = {
  idleMs: 30_000,
  backoffMs: 500,
  attempts: 5,
  reserveBytes: 512 * 1024 * 1024,
};

type Request = {
  readonly item: Download;
  /** The finished file. Beside it: `.partial`, and `.partial.json` with the state of it. */
  readonly path: string;
  readonly sources: readonly string[];
  /** Servers that could not be reached during this pull: they are not asked again while there is another source. */
  readonly unreachable: Set<string>;
  readonly options: DownloadOptions;
  readonly redirects: RedirectGuard;
  readonly onProgress: (received: number) => void;
  readonly signal: AbortSignal;
};

/**
 * The operator chose the addresses of sources, so they may be private. The target of a redirect to another server was chosen by
 * that server: the guard checks it, and the connection goes to the checked address. A proxy resolves names itself.
 */
export type RedirectGuard = {
  readonly guard: OutboundGuard;
  readonly dispatcher: Dispatcher;
  readonly proxied: boolean;
};
const maxRedirects = 10;
const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/** State of a `.partial` file: its first `bytes` bytes are on the disk and have this hash. */
const partialState = z.object({
  url: z.string(),
  etag: z.string().nullable(),
  bytes: z.int().min(0),
  sha256: z.string(),
});
type PartialState = z.infer<typeof partialState>;

const checkpointBytes = 4 * 1024 * 1024;
const checkpointMs = 1_000;

/** The next source is tried: this one does not have the file, or has another one. */
class SourceFailure extends Error {}
class WrongContent extends SourceFailure {}
/** The connection ended early: the same source is asked for the rest. */
class Interruption extends Error {}

/**
 * Downloads one file and verifies its hash, also when an earlier process was interrupted in the middle.
 * @throws ModelError with what every source answered.
 */
export async function downloadFile(request: Request): Promise<void> {
  const { item, path, sources, onProgress } = request;
  if ((await stat(path).catch(() => undefined))?.size === item.bytes && (await sha256Of(path)) === item.sha256) {
    onProgress(item.bytes);
    return;
  }
  const failures: string[] = [];
  let wrongHash = false;
  for (const [i, source] of sources.entries()) {
    const isLast = i === sources.length - 1 && !item.packages;
    try {
      await downloadFrom(source, { ...request, isLast });
      return;
    } catch (error) {
      if (!(error instanceof SourceFailure)) throw error;
      wrongHash ||= error instanceof WrongContent;
      failures.push(`${shown(source)}: ${error.message}`);
    }
  }
  throw new ModelError(
    wrongHash ? 'hash_mismatch' : 'download_failed',
    [`${item.name} could not be downloaded`, ...failures, ''].join('. ').trim(),
  );
}

async function downloadFrom(source: string, request: Request & { readonly isLast: boolean }): Promise<void> {
  const { item, path, options, unreachable, isLast, signal } = request;
  const { origin } = new URL(source);
  if (!isLast && unreachable.has(origin)) throw new SourceFailure('the server cannot be reached');
  const partial = await openPartial(path);
  let [failures, restarts] = [0, 0];
  try {
    for (;;) {
      const before = partial.state.bytes;
      try {
        if (before < item.bytes) await receive(partial, source, request);
        if (partial.digest() === item.sha256) break;
        // A part from another source or another version of the file: this source gets one chance to send all of it.
        if (before === 0 || restarts++ > 0)
          throw new WrongContent('it sent another file than the catalogue describes (the SHA-256 differs)');
        await partial.restart();
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof Interruption)) throw error;
        failures = partial.state.bytes > before ? 0 : failures + 1;
        if (isUnreachable(error)) unreachable.add(origin);
        if (!isLast && unreachable.has(origin)) throw new SourceFailure(error.message, { cause: error });
        if (failures >= options.attempts) throw new SourceFailure(error.message, { cause: error });
        await sleep(options.backoffMs * Math.min(60, 2 ** failures), undefined, { signal });
      }
    }
  } catch (error) {
    if (error instanceof WrongContent) await partial.restart();
    throw error;
  } finally {
    await partial.close();
  }
  await rename(`${path}.partial`, path);
  await rm(`${path}.partial.json`, { force: true });
}

/** Asks for what is missing and appends it. @throws Interruption when the connection ends early. */
async function receive(partial: Partial, source: string, request: Request): Promise<void> {
  const { item, options, onProgress } = request;
  const silence = new AbortController();
  const watch = setTimeout(() => silence.abort(new Error(`no data for ${options.idleMs / 1000} s`)), options.idleMs);
  const signal = AbortSignal.any([request.signal, silence.signal]);
  try {
    const response = await ask(partial, source, { redirects: request.redirects, signal });
    try {
      await placeResponse(partial, source, { response, item });
    } catch (error) {
      await response.body?.cancel().catch(() => undefined);
      throw error;
    }
    for await (const chunk of response.body ?? []) {
      watch.refresh();
      if (partial.state.bytes + chunk.length > item.bytes)
        throw new SourceFailure(`it sent more than the ${item.bytes} bytes of the catalogue`);
      await partial.append(chunk, options.reserveBytes);
      onProgress(partial.state.bytes);
    }
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal && refusal.permanent)
      throw new SourceFailure(`it redirects to an address that is refused: ${refusal.message.replace(/\.$/, '')}`);
    if (isFinal(error)) throw error;
    request.signal.throwIfAborted();
    const cause = silence.signal.aborted ? (silence.signal.reason as Error) : error;
    throw new Interruption(`the connection ended: ${reasonOf(cause)}`, { cause });
  } finally {
    clearTimeout(watch);
    await partial.checkpoint();
  }
  if (partial.state.bytes < item.bytes)
    throw new Interruption(`the connection ended after ${partial.state.bytes} of ${item.bytes} bytes`);
}

type Answer = Response | GuardedResponse;

async function ask(
  { state }: Partial,
  source: string,
  { redirects, signal }: { redirects: RedirectGuard; signal: AbortSignal },
): Promise<Answer> {
  // A compressed transfer would count other bytes than the file has.
  const headers: Record<string, string> = { 'accept-encoding': 'identity', 'user-agent': 'overtone' };
  if (state.bytes > 0) {
    headers['range'] = `bytes=${state.bytes}-`;
    // A weak ETag must not be used here (RFC 9110, 13.1.5); the hash decides then.
    if (state.url === source && state.etag?.startsWith('"')) headers['if-range'] = state.etag;
  }
  let url = new URL(source);
  for (let hops = 0; hops <= maxRedirects; hops += 1) {
    const response = await send(url, { isOwn: url.origin === new URL(source).origin, headers, redirects, signal });
    const location = response.headers.get('location');
    if (!redirectStatuses.has(response.status) || location === null) return response;
    await response.body?.cancel().catch(() => undefined);
    const target = URL.parse(location, url.href);
    if (target === null) throw new SourceFailure('it redirects to something that is not an address');
    url = target;
  }
  throw new SourceFailure('it redirects too often');
}

type Sending = {
  /** The server that the operator named. */
  isOwn: boolean;
  headers: Record<string, string>;
  redirects: RedirectGuard;
  signal: AbortSignal;
};

async function send(url: URL, { isOwn, headers, redirects, signal }: Sending): Promise<Answer> {
  const init = { headers, signal, redirect: 'manual' as const };
  if (isOwn) return fetch(url, init);
  const { guard, dispatcher, proxied } = redirects;
  const target = guard.checkUrl(url.href);
  if (!proxied) return fetchThrough(target, { ...init, dispatcher });
  await refuseKnownAddress(guard, target);
  return fetch(target, init);
}

/** Moves the partial file to where the body of the response begins. */
async function placeResponse(
  partial: Partial,
  source: string,
  { response, item }: { response: Answer; item: Download },
): Promise<void> {
  const { status, headers } = response;
  const etag = headers.get('etag');
  if (status === 416) {
    if (partial.state.bytes === 0) throw new SourceFailure('it answered 416 to a request without a range');
    await partial.restart();
    throw new Interruption('it answered 416: the rest of the file is asked for from the beginning');
  }
  if (status === 429 || status >= 500 || status === 408) throw new Interruption(`it answered ${status}`);
  if (status !== 200 && status !== 206) throw new SourceFailure(`it answered ${status}`);
  const encoding = headers.get('content-encoding');
  if (encoding !== null && encoding !== 'identity') throw new SourceFailure(`it compressed the file (${encoding})`);
  const total = status === 206 ? totalOfRange(headers, partial.state.bytes) : lengthOf(headers);
  if (total !== undefined && total !== item.bytes)
    throw new SourceFailure(`its file has ${total} bytes, the one of the catalogue ${item.bytes}`);
  const changed = partial.state.url === source && partial.state.etag !== null && etag !== partial.state.etag;
  if (status === 206 && changed) {
    await partial.restart();
    throw new Interruption('its file changed during the download');
  }
  if (status === 200 && partial.state.bytes > 0) await partial.restart();
  partial.state.url = source;
  partial.state.etag = etag;
}

function lengthOf(headers: AnswerHeaders): number | undefined {
  const length = headers.get('content-length');
  return length === null ? undefined : Number(length);
}

type AnswerHeaders = Pick<Headers, 'get'>;

function totalOfRange(headers: AnswerHeaders, start: number): number | undefined {
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get('content-range') ?? '');
  if (!range || Number(range[1]) !== start) throw new SourceFailure('it answered with another range than asked for');
  return range[2] === '*' ? undefined : Number(range[2]);
}

type Partial = {
  state: PartialState;
  digest: () => string;
  append: (chunk: Uint8Array, reserveBytes: number) => Promise<void>;
  /** Makes the received bytes durable, and then the state that names them. */
  checkpoint: () => Promise<void>;
  restart: () => Promise<void>;
  close: () => Promise<void>;
};

/** Opens the partial file of an earlier attempt, if its content is what its state says; else an empty one. */
async function openPartial(path: string): Promise<Partial> {
  const [partialPath, statePath] = [`${path}.partial`, `${path}.partial.json`];
  const earlier = await resumable(partialPath, statePath);
  const state: PartialState = earlier?.state ?? { url: '', etag: null, bytes: 0, sha256: '' };
  let hash: Hash = earlier?.hash ?? createHash('sha256');
  const file: FileHandle = await open(partialPath, 'a');
  await truncate(partialPath, state.bytes);
  let [saved, savedAt] = [state.bytes, Date.now()];

  const save = async (): Promise<void> => {
    // The state at this time: more bytes may arrive while the disk is written.
    const snapshot = { ...state, sha256: hash.copy().digest('hex') };
    await file.datasync().catch(rethrowDiskFull);
    await writeJson(statePath, snapshot).catch(rethrowDiskFull);
    [saved, savedAt] = [snapshot.bytes, Date.now()];
  };
  let saving: Promise<void> = Promise.resolve();
  const checkpoint = (): Promise<void> => (saving = saving.catch(() => undefined).then(save));
  // Also while a server sends nothing.
  const timer = setInterval(() => {
    if (state.bytes > saved) checkpoint().catch(() => undefined);
  }, checkpointMs).unref();
  return {
    state,
    digest: () => hash.copy().digest('hex'),
    append: async (chunk, reserveBytes) => {
      const { bytesWritten } = await file.write(chunk).catch(rethrowDiskFull);
      if (bytesWritten < chunk.length) throw diskFull();
      hash.update(chunk);
      state.bytes += chunk.length;
      if (state.bytes - saved < checkpointBytes && Date.now() - savedAt < checkpointMs) return;
      await checkpoint();
      if ((await freeBytes(partialPath)) < reserveBytes) throw diskFull();
    },
    checkpoint,
    restart: async () => {
      await saving.catch(() => undefined);
      await rm(statePath, { force: true });
      await truncate(partialPath, 0);
      hash = createHash('sha256');
      Object.assign(state, { url: '', etag: null, bytes: 0, sha256: '' });
      saved = 0;
    },
    close: async () => {
      clearInterval(timer);
      await saving.catch(() => undefined);
      await file.close();
    },
  };
}

async function resumable(path: string, statePath: string): Promise<{ state: PartialState; hash: Hash } | undefined> {
  const state = partialState.safeParse(await readJson(statePath));
  const info = await stat(path).catch(() => undefined);
  if (!state.success || !info || info.size < state.data.bytes || state.data.bytes === 0) return undefined;
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { end: state.data.bytes - 1, highWaterMark: 1 << 20 }))
    hash.update(chunk as Buffer);
  return hash.copy().digest('hex') === state.data.sha256 ? { state: state.data, hash } : undefined;
}

const unreachableCodes = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'ECONNREFUSED',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Whether there was no connection: unlike an interrupted one, it is not worth a second attempt while there is another source. */
function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return unreachableCodes.has((error as NodeJS.ErrnoException).code ?? '') || isUnreachable(error.cause);
}

function isFinal(error: unknown): boolean {
  return error instanceof SourceFailure || error instanceof ModelError || error instanceof Interruption;
}

export function diskFull(): ModelError {
  return new ModelError(
    'disk_full',
    'There is not enough free space for the model. Free some, then pull again: the download is continued.',
  );
}

/** The error itself, unless the system says that the disk or the quota is full. */
export function asDiskFull(error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT' ? diskFull() : error;
}

function rethrowDiskFull(error: unknown): never {
  throw asDiskFull(error);
}

/** An address without its query, which may contain a signature. */
function shown(source: string): string {
  return (source.split(/[?#]/, 1)[0] ?? '').replace(/\/\/[^/@]*@/, '//');
}
