import type { Tx } from '../database.ts';
import type { AuditRecord } from './audit.ts';

/** Writes one record in the transaction of what it tells of. */
export const writeAudit = async (tx: Tx, r: AuditRecord): Promise<void> => {
  await tx.auditLog.create({
    data: {
      eventType: r.event,
      outcome: r.outcome,
      actor: r.actor ?? r.userId ?? null,
      userId: r.userId ?? null,
      username: r.username ?? null,
      sourceIp: r.client.ip,
      userAgent: r.client.userAgent,
      requestId: r.client.requestId,
      errorCode: r.errorCode ?? null,
      details: r.details ?? {},
    },
  });
};
