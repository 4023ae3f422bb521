import type { Table } from '@lancedb/lancedb';

/** As many names as are kept; about 100 bytes each. */
const most = 100_000;

/**
 * The ids of found rows. Fetching them costs more than the search (measured: three times as much for 500 rows), and a
 * row keeps its address until it is written anew at another; no address of a table is ever given twice. So what was
 * read once stays true, and the next search that finds the row need not read it.
 */
export const createRowNames = (table: Table) => {
  const names = new Map<bigint, string>();
  const addresses = new Map<string, bigint>();

  const read = async (unknown: bigint[]): Promise<[bigint, string][]> => {
    const rows = await table.takeRowIds(unknown).select(['id']).withRowId().toArrow();
    const [ids, at] = [rows.getChild('id'), rows.getChild('_rowid')];
    return Array.from({ length: rows.numRows }, (_, i) => [at?.get(i) as bigint, String(ids?.get(i))]);
  };
  const keep = (learnt: readonly [bigint, string][]): void => {
    if (names.size + learnt.length > most) {
      names.clear();
      addresses.clear();
    }
    for (const [address, id] of learnt) {
      names.set(address, id);
      addresses.set(id, address);
    }
  };

  return {
    /** In the order of the addresses; undefined where the row is gone meanwhile. */
    of: async (asked: readonly bigint[]): Promise<(string | undefined)[]> => {
      const known = new Map(asked.map((address) => [address, names.get(address)]));
      const unknown = asked.filter((address) => known.get(address) === undefined);
      if (unknown.length > 0) {
        const learnt = await read(unknown);
        keep(learnt);
        for (const [address, id] of learnt) known.set(address, id);
      }
      return asked.map((address) => known.get(address));
    },
    /** Where a row of this id was seen last; it may have been written anew since. */
    addressOf: (id: string): bigint | undefined => addresses.get(id),
  };
};
export type RowNames = ReturnType<typeof createRowNames>;
