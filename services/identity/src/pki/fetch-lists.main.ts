import { parentPort, workerData } from 'node:worker_threads';
import type { FetchReply, FetchRequest } from './crl.adapter.ts';
import { createListParser, listLimits } from './list-parser.ts';
import type { RevocationList } from './revocation-list.ts';

class UnreadableList extends Error {}
function asUnreadable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new UnreadableList((error as Error).message, { cause: error });
  }
}

/** Base64 and line ends make a list half as long again. */
const maxBytes = listLimits.bytes * 1.5;

async function download({
  url,
  idleTimeoutMs,
  totalTimeoutMs,
}: FetchRequest): Promise<{ lists: RevocationList[]; bytes: number }> {
  const idle = new AbortController();
  const timer = setTimeout(() => idle.abort(new Error(`no response for ${idleTimeoutMs} ms`)), idleTimeoutMs);
  try {
    const signal = AbortSignal.any([idle.signal, AbortSignal.timeout(totalTimeoutMs)]);
    const response = await fetch(url, { redirect: 'error', signal });
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    const parser = createListParser();
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      timer.refresh();
      bytes += chunk.length;
      if (bytes > maxBytes) throw new UnreadableList('the list is too long');
      asUnreadable(() => parser.push(chunk));
    }
    return { lists: asUnreadable(parser.end), bytes };
  } finally {
    clearTimeout(timer);
  }
}

/** Runs in a worker thread: a list of a million entries would block the main thread for seconds. */
async function fetchLists(request: FetchRequest): Promise<FetchReply> {
  try {
    return { ok: true, ...(await download(request)) };
  } catch (error) {
    const { message, cause } = error as Error;
    const isUnreadable = error instanceof UnreadableList;
    const reason = !isUnreadable && cause instanceof Error ? `${message}: ${cause.message}` : message;
    return { ok: false, reason, isUnreadable };
  }
}

const reply = await fetchLists(workerData as FetchRequest);
const memory = reply.ok ? reply.lists.flatMap((list) => [list.signed.buffer, list.serials.words.buffer]) : [];
parentPort?.postMessage(reply, memory);
