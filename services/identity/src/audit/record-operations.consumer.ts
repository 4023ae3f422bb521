import { operationsEvents, type operationActions } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { toAuditRow, type AuditRecord } from './audit.ts';

const eventOf: Record<(typeof operationActions)[number], AuditRecord['event']> = {
  queue_paused: 'admin.queue.pause',
  queue_resumed: 'admin.queue.resume',
  jobs_retried: 'admin.jobs.retry',
  jobs_discarded: 'admin.jobs.discard',
  stuck_recovered: 'admin.jobs.recover',
};

/** Records what administrators do to queues and dead jobs exactly once, with the time of the event. */
export function recordOperations({ db }: { db: Db }) {
  return consumer(
    operationsEvents.performed,
    'record-operations',
    async ({ action, actorId, details, client }, delivery) => {
      const row = toAuditRow({ event: eventOf[action], outcome: 'success', userId: actorId, client, details });
      await db.auditLog.createMany({ data: [{ ...row, id: delivery.id, time: delivery.time }], skipDuplicates: true });
    },
  );
}
