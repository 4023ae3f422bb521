import { setTimeout as sleep } from 'node:timers/promises';
import { errors, type Client, type estypes } from '@elastic/elasticsearch';
import { isAppError, type AppError } from '@overtone/service-kit';
import { isOverload, searchServerError } from './elasticsearch-errors.ts';
import { checkedId } from './search-index.ts';

/** A line of a bulk: a document in JSON, or null to delete it. */
type Line = { id: string; document: string | null };
type Rejected = { lines: Line[]; error: AppError };

/** The server's own limit of a request is 100 MB, but large ones take memory that searches need. */
const maxBulkBytes = 2 * 2 ** 20;
const pageSize = 1_000;
const defaultRetryDelaysMs = [500, 1_000, 2_000, 4_000, 8_000];

export type ReplaceDocuments = (index: string, fileId: string, documents: ReadonlyMap<string, object>) => Promise<void>;

/**
 * Replaces the documents of a file (field `file_id`) by others, keyed by id, and makes the change visible at its end. What
 * the server rejects because it is overloaded is sent again, later and in smaller parts.
 * @throws AppError search_unavailable when a document was refused, or the server stays overloaded.
 */
export function createReplaceDocuments(
  client: Client,
  retryDelaysMs: readonly number[] = defaultRetryDelaysMs,
): ReplaceDocuments {
  const sendBulk = async (index: string, lines: Line[]): Promise<Rejected | null> => {
    const operations = lines.flatMap(({ id, document }): (estypes.BulkOperationContainer | string)[] =>
      document === null ? [{ delete: { _id: id } }] : [{ index: { _id: id } }, document],
    );
    try {
      const { items } = await client.bulk<string>({ index, operations });
      return rejectedOf(lines, items);
    } catch (error) {
      if (!isAppError(error) || !isOverload(statusOf(error))) throw error;
      return { lines, error };
    }
  };

  const write = async (index: string, lines: readonly Line[]): Promise<void> => {
    const batches = batchesOf(lines);
    let attempt = 0;
    for (let batch = batches.shift(); batch; batch = batches.shift()) {
      const rejected = await sendBulk(index, batch);
      if (rejected === null) {
        attempt = 0;
        continue;
      }
      const delay = retryDelaysMs[attempt];
      if (delay === undefined) throw rejected.error;
      attempt += 1;
      await sleep(delay * (0.5 + Math.random()));
      batches.unshift(...halvesOf(rejected.lines));
    }
  };

  return async (index, fileId, documents) => {
    const old = (await idsOf(client, index, fileId)).filter((id) => !documents.has(id));
    const lines = [
      ...[...documents].map(([id, document]) => ({ id, document: JSON.stringify(document) })),
      ...old.map((id) => ({ id, document: null })),
    ];
    if (lines.length === 0) return;
    try {
      await write(index, lines);
    } catch (error) {
      // The next attempt must see these rows to delete them. The first error is the one to report.
      await client.indices.refresh({ index }).catch(() => undefined);
      throw error;
    }
    await client.indices.refresh({ index });
  };
}

/**
 * Orders the server to write segments with deleted documents again, without them: without a request it keeps those in which few
 * are deleted. A key without the right to do so leaves it to the server.
 */
export async function expungeDeleted(client: Client, indices: readonly string[]): Promise<void> {
  if (indices.length === 0) return;
  const [index, may] = [[...indices], { ignore: [403, 404] }];
  await client.indices.putSettings({ index, settings: { 'merge.policy.expunge_deletes_allowed': 0 } }, may);
  await client.indices.forcemerge({ index, only_expunge_deletes: true, wait_for_completion: false }, may);
}

/** Reads all ids at one point in time: a search without it ends at 10,000 hits. */
async function idsOf(client: Client, index: string, fileId: string): Promise<string[]> {
  const query = { term: { file_id: checkedId(fileId) } };
  const ids: string[] = [];
  let { id } = await client.openPointInTime({ index, keep_alive: '1m' });
  try {
    let after: { search_after?: estypes.SortResults } = {};
    for (;;) {
      const found = await client.search({
        pit: { id, keep_alive: '1m' },
        query,
        size: pageSize,
        sort: [{ _shard_doc: 'asc' }],
        _source: false,
        track_total_hits: false,
        ...after,
      });
      id = found.pit_id ?? id;
      const { hits } = found.hits;
      ids.push(...hits.map((hit) => String(hit._id)));
      const last = hits.at(-1)?.sort;
      if (hits.length < pageSize || !last) return ids;
      after = { search_after: last };
    }
  } finally {
    // It expires after a minute.
    await client.closePointInTime({ id }).catch(() => undefined);
  }
}

/** @throws AppError for a document that the server refuses for another reason than overload. */
function rejectedOf(lines: readonly Line[], items: estypes.BulkResponse['items']): Rejected | null {
  const failures = items.flatMap((item, i) => {
    const { status, error } = item.index ?? item.delete ?? {};
    const line = lines[i];
    return error && line ? [{ line, status, error }] : [];
  });
  const refused = failures.find(({ status }) => !isOverload(status));
  if (refused) throw searchServerError(refused.error);
  const [first] = failures;
  return first ? { lines: failures.map(({ line }) => line), error: searchServerError(first.error) } : null;
}

function statusOf({ cause }: AppError): number | undefined {
  return cause instanceof errors.ResponseError ? cause.statusCode : undefined;
}

function batchesOf(lines: readonly Line[]): Line[][] {
  const batches: Line[][] = [];
  let bytes = Infinity;
  for (const line of lines) {
    const size = Buffer.byteLength(line.document ?? '') + line.id.length + 30;
    if (bytes + size > maxBulkBytes) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)?.push(line);
    bytes += size;
  }
  return batches;
}

function halvesOf(lines: Line[]): Line[][] {
  if (lines.length === 1) return [lines];
  const middle = Math.ceil(lines.length / 2);
  return [lines.slice(0, middle), lines.slice(middle)];
}
