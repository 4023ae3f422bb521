import { z } from 'zod';
import { pageOf, pageQuery, routesOf, text, time } from './http.ts';

const route = routesOf('identity');

/** A listed record. The names of events are in `identity/src/audit/audit.ts`. */
export const auditRecord = z.object({
  uuid: z.uuid(),
  timestamp: time,
  event_type: z.string(),
  outcome: z.enum(['success', 'failure', 'partial']),
  /** A user's uuid, or the name of an automatic actor (idp_login, directory_sync). */
  actor: z.string().nullable(),
  actor_name: z.string().nullable(),
  user_id: z.uuid().nullable(),
  username: z.string().nullable(),
  /** Address of the person or name of the group that something was shared with; null: nothing was, or it was deleted. */
  recipient: z.string().nullable(),
  source_ip: z.string().nullable(),
  user_agent: z.string().nullable(),
  request_id: z.string().nullable(),
  error_code: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
});
const auditFilter = {
  start_date: time.optional(),
  end_date: time.optional(),
  event_type: text(100).optional(),
  outcome: z.enum(['success', 'failure', 'partial']).optional(),
  error_code: text(100).optional(),
  user_id: z.uuid().optional(),
  q: text(200).optional(),
};

export const auditRoutes = {
  auditLogs: route('GET', '/api/admin/audit-logs', 'super_admin', {
    summary: 'The audit trail, newest first',
    query: z.object({ ...auditFilter, ...pageQuery }),
    answer: pageOf(auditRecord),
  }),
  exportAuditLogs: route('GET', '/api/admin/audit-logs/export', 'super_admin', {
    summary: 'The audit trail as a file, newest first, at most 10,000 records',
    query: z.object({ ...auditFilter, export_format: z.enum(['csv', 'json']).default('csv') }),
    answerType: 'text/csv',
    otherAnswers: { 'application/json': z.array(auditRecord) },
    status: 200,
  }),
};
