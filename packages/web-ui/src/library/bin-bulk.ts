import { call } from '../api/client.ts';
import type { BinnedFile } from '../api/queries.ts';

/** The most files of one request. */
const filesPerRequest = 200;
const pageSize = 100;
export type BinAction = 'restore' | 'delete_permanently';
export type BinResult = { readonly done: number; readonly failed: number; readonly reason: string | null };

/** All files of the bin, read before any of them leaves it. */
export async function idsInBin(ownership: 'mine' | 'all'): Promise<string[]> {
  const ids: string[] = [];
  for (let page = 1; ; page += 1) {
    const query = { ownership, page, page_size: pageSize };
    const { items, total }: { items: BinnedFile[]; total: number } = await call('GET /api/files/bin', { query });
    ids.push(...items.map(({ uuid }) => uuid));
    if (items.length === 0 || ids.length >= total) return ids;
  }
}

/** Restores or deletes files, some at a time; one that fails stops no other. */
export async function changeBinned(action: BinAction, ids: readonly string[]): Promise<BinResult> {
  let failed = 0;
  let reason: string | null = null;
  for (let start = 0; start < ids.length; start += filesPerRequest) {
    const file_uuids = ids.slice(start, start + filesPerRequest);
    const { results } = await call('POST /api/files/bulk', { body: { action, file_uuids } });
    const errors = results.flatMap(({ error }) => error ?? []);
    failed += errors.length;
    reason ??= errors[0]?.message ?? null;
  }
  return { done: ids.length - failed, failed, reason };
}
