import { parentPort, workerData } from 'node:worker_threads';
import type { FetchOrder, FetchReply } from './crl.adapter.ts';
import { createListParser, listLimits, type RevocationList } from './revocation-list.ts';

class Unreadable extends Error {}
const readable = <T>(read: () => T): T => {
  try {
    return read();
  } catch (error) {
    throw new Unreadable((error as Error).message, { cause: error });
  }
};

/** Base64 and line ends make half as much again of a list. */
const mostBytes = listLimits.bytes * 1.5;

const download = async ({
  url,
  silentMs,
  totalMs,
}: FetchOrder): Promise<{ lists: RevocationList[]; bytes: number }> => {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(new Error(`no response for ${silentMs} ms`)), silentMs);
  try {
    const signal = AbortSignal.any([silence.signal, AbortSignal.timeout(totalMs)]);
    const response = await fetch(url, { redirect: 'error', signal });
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    const parser = createListParser();
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      timer.refresh();
      bytes += chunk.length;
      if (bytes > mostBytes) throw new Unreadable('the list is too long');
      readable(() => parser.push(chunk));
    }
    return { lists: readable(parser.end), bytes };
  } finally {
    clearTimeout(timer);
  }
};

/** Runs in a worker thread: a list of a million entries would hold the main thread up for seconds. */
const fetchLists = async (order: FetchOrder): Promise<FetchReply> => {
  try {
    return { ok: true, ...(await download(order)) };
  } catch (error) {
    const { message, cause } = error as Error;
    const isUnreadable = error instanceof Unreadable;
    const reason = !isUnreadable && cause instanceof Error ? `${message}: ${cause.message}` : message;
    return { ok: false, reason, isUnreadable };
  }
};

const reply = await fetchLists(workerData as FetchOrder);
const memory = reply.ok ? reply.lists.flatMap((list) => [list.signed.buffer, list.serials.words.buffer]) : [];
parentPort?.postMessage(reply, memory);
