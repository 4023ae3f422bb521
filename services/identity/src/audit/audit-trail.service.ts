import type { AuditRecordObject, AuditFilter } from './records.ts';
import type { Db } from '../database.ts';
import { auditStore } from './audit.store.ts';
import { toAuditRecord } from './records.ts';

const batchSize = 500;
const maxExported = 10_000;
const deletedPerBatch = 5_000;

/** Reads the audit trail, and deletes old records. */
export function createAuditTrail({ db }: { db: Db }) {
  return {
    page: async (filter: AuditFilter, page: number, size: number) => {
      const { rows, total } = await auditStore.page(db, filter, page, size);
      return { items: rows.map(toAuditRecord), total, page, page_size: size };
    },

    /** Newest first. Fetched in batches, so that an export needs little memory. */
    records: async function* (filter: AuditFilter): AsyncGenerator<AuditRecordObject> {
      let last;
      for (let left = maxExported; left > 0; left -= batchSize) {
        const rows = await auditStore.batch(db, filter, last, Math.min(batchSize, left));
        for (const row of rows) yield toAuditRecord(row);
        last = rows.at(-1);
        if (rows.length < batchSize) return;
      }
    },

    /** Deletes the records past the retention time of the database, in batches. */
    deleteOld: async (signal?: AbortSignal): Promise<number> => {
      let forgotten = 0;
      for (;;) {
        const count = await auditStore.deleteOld(db, deletedPerBatch);
        forgotten += count;
        if (count < deletedPerBatch || signal?.aborted) return forgotten;
      }
    },
  };
}

export type AuditTrail = ReturnType<typeof createAuditTrail>;
