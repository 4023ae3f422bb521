import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { auditRoutes } from '@overtone/contracts';
import { clientOf, handle, handled, type Route } from '@overtone/service-kit';
import { stringify } from 'csv-stringify';
import type { Db } from '../database.ts';
import type { AuditTrail } from './audit-trail.service.ts';
import { writeAudit } from './audit.ts';
import { exportedColumns, toExportedRow, type AuditRecordObject } from './records.ts';

/** Spreadsheets run a cell that begins like a formula; the library puts an apostrophe in front of it. */
const csv = {
  header: true,
  columns: [...exportedColumns],
  escape_formulas: true,
  record_delimiter: 'windows',
} as const;

async function* asRows(records: AsyncIterable<AuditRecordObject>): AsyncGenerator<string[]> {
  for await (const record of records) yield toExportedRow(record);
}

async function* asJson(records: AsyncIterable<AuditRecordObject>): AsyncGenerator<string> {
  let between = '[\n';
  for await (const record of records) {
    yield between + JSON.stringify(record);
    between = ',\n';
  }
  yield between === '[\n' ? '[]\n' : '\n]\n';
}

export function auditLogRoutes({ db, trail }: { db: Db; trail: AuditTrail }): Route[] {
  return [
    handle(auditRoutes.auditLogs, async (request) => {
      const { page, page_size, ...filter } = request.query;
      return trail.page(filter, page, page_size);
    }),
    handle(auditRoutes.exportAuditLogs, async (request) => {
      const { export_format: format, ...filter } = request.query;
      const { userId } = request.caller;
      await writeAudit(db, {
        event: 'admin.audit.export',
        outcome: 'success',
        userId,
        client: clientOf(request),
        details: { format, filter: JSON.stringify(filter) },
      });
      request.res.setHeader(
        'Content-Type',
        format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8',
      );
      request.res.setHeader('Content-Disposition', `attachment; filename="audit-logs-${dayOf(new Date())}.${format}"`);
      request.res.setHeader('Cache-Control', 'no-store');
      request.res.setHeader('X-Content-Type-Options', 'nosniff');
      const records = trail.records(filter);
      const sent =
        format === 'csv'
          ? pipeline(Readable.from(asRows(records)), stringify(csv), request.res)
          : pipeline(Readable.from(asJson(records)), request.res);
      await sent.catch((error: unknown) => {
        if (!request.signal.aborted) throw error;
      });
      return handled;
    }),
  ];
}

/** The day in the file name, in UTC. */
function dayOf(now: Date): string {
  return now.toISOString().slice(0, 10).replaceAll('-', '');
}
