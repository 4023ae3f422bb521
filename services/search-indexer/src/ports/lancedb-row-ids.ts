import type { Table } from '@lancedb/lancedb';
import type { Log } from '@overtone/service-kit';
import { scanRowIds, type ScannedIds } from './lancedb-scanned-ids.ts';

/** Rows that were fetched one by one before all ids are scanned again. */
const maxFetched = 5_000;

/**
 * The ids of rows by their address, and back. Fetching ids costs more than the search (measured at 100,000 passages: 15 ms
 * for 500 rows, the search 2.5 ms), so that those of all rows are kept in memory. A rewritten row gets a new address and
 * addresses are never reused, so that what was read stays true; rows written since are fetched when they are found.
 */
export function createRowIdCache(table: Table, log: Pick<Log, 'warn'>) {
  let scanned: ScannedIds | null = null;
  let scanning: Promise<void> | null = null;
  const fetched = new Map<number, string>();
  const addresses = new Map<string, number>();

  const scan = (): Promise<void> => {
    scanning ??= scanRowIds(table)
      .then((found) => void (scanned = found))
      // Without the scan, ids are fetched.
      .catch((err: unknown) => log.warn({ err: err as Error }, 'row id scan failed'))
      .finally(() => {
        scanning = null;
        // Also after a failure: they must not grow for ever.
        fetched.clear();
        addresses.clear();
      });
    return scanning;
  };
  const fetch = async (unknown: readonly number[]): Promise<void> => {
    const rows = await table.takeRowIds(unknown.map(BigInt)).select(['id']).withRowId().toArrow();
    const [ids, at] = [rows.getChild('id'), rows.getChild('_rowid')];
    for (let i = 0; i < rows.numRows; i++) {
      const [id, address] = [String(ids?.get(i)), Number(at?.get(i))];
      fetched.set(address, id);
      addresses.set(id, address);
    }
  };
  const known = (address: number): string | undefined => scanned?.idAt(address) ?? fetched.get(address);
  void scan();

  return {
    /** The ids in the order of the addresses; undefined for a row that no longer exists. */
    of: async (requested: readonly number[]): Promise<(string | undefined)[]> => {
      const ids = requested.map(known);
      const unknown = requested.filter((_, i) => ids[i] === undefined);
      if (unknown.length === 0) return ids;
      await fetch(unknown);
      const found = requested.map((address, i) => ids[i] ?? known(address));
      if (fetched.size > maxFetched) void scan();
      return found;
    },
    /** Reads all ids again: maintenance gives most rows new addresses. */
    scan,
    /** The last known address of a row; the row may have been rewritten since. */
    addressOf: (id: string): number | undefined => addresses.get(id) ?? scanned?.addressOf(id),
  };
}

export type RowIdCache = ReturnType<typeof createRowIdCache>;
