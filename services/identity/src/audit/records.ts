import type { auditRecord, auditRoutes, QueryOf } from '@overtone/contracts';
import type { z } from 'zod';
import type { AuditRow } from './audit.store.ts';

export type AuditRecordObject = z.infer<typeof auditRecord>;
export type AuditFilter = Omit<QueryOf<typeof auditRoutes.exportAuditLogs>, 'export_format'>;

export function toAuditRecord(row: AuditRow): AuditRecordObject {
  return {
    uuid: row.id,
    timestamp: row.time.toISOString(),
    event_type: row.eventType,
    outcome: row.outcome as AuditRecordObject['outcome'],
    actor: row.actor,
    actor_name: row.actorName,
    user_id: row.userId,
    username: row.username,
    recipient: row.recipient,
    source_ip: row.sourceIp,
    user_agent: row.userAgent,
    request_id: row.requestId,
    error_code: row.errorCode,
    details: row.details,
  };
}

/** In the order of a row of the exported table. */
export const exportedColumns = [
  'timestamp',
  'event_type',
  'outcome',
  'actor',
  'actor_name',
  'user_id',
  'username',
  'source_ip',
  'user_agent',
  'error_code',
  'details',
  'recipient',
] as const;

/** Characters that move the cursor of a terminal or change the text direction; they are exported as escapes. */
const controlCharacters = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

function visibly(text: string): string {
  return text.replaceAll(
    controlCharacters,
    (match) => String.raw`\u` + match.charCodeAt(0).toString(16).padStart(4, '0'),
  );
}

/** Spreadsheets do not take more characters in a cell. */
const maxCellLength = 32_000;

function cell(text: string): string {
  return text.length > maxCellLength ? `${text.slice(0, maxCellLength).toWellFormed()}…` : text;
}

/** A row of the exported table: text without control characters. */
export function toExportedRow(object: AuditRecordObject): string[] {
  return exportedColumns.map((name) =>
    cell(visibly(name === 'details' ? JSON.stringify(object.details) : (object[name] ?? ''))),
  );
}
