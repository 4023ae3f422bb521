import { parseCrls, type Crl } from './revocation.ts';

const mostBytes = 16 * 1024 * 1024;
const deadlineMs = 10_000;

const download = async (url: string): Promise<Crl[]> => {
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(deadlineMs) });
  if (!response.ok) throw new Error(`the server of the revocation list answered ${response.status}`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > mostBytes) throw new Error('the revocation list is too long');
    chunks.push(chunk);
  }
  return parseCrls(Buffer.concat(chunks));
};

type Kept = { url: string; at: number; lists: Crl[]; asking: Promise<Crl[]> | undefined };

/**
 * Fetches revocation lists and keeps them for the time that is set. When a new one cannot be had the last one stays, as
 * far as it is still valid by its own word. @returns an empty list when there never was one.
 */
export const createCrlSource = (clock: () => number = Date.now) => {
  let kept: Kept | undefined;
  return async (url: string, keepSeconds: number): Promise<Crl[]> => {
    if (kept?.url !== url) kept = { url, at: -Infinity, lists: [], asking: undefined };
    const mine = kept;
    if (clock() - mine.at < keepSeconds * 1000) return mine.lists;
    mine.asking ??= download(url)
      .then((lists) => {
        mine.at = clock();
        mine.lists = lists;
        return lists;
      })
      .catch(() => mine.lists)
      .finally(() => (mine.asking = undefined));
    return mine.asking;
  };
};
export type CrlSource = ReturnType<typeof createCrlSource>;
