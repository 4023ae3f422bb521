import { mediaEvents, type fileActions } from '@overtone/contracts';
import { consumer } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { toAuditRow, type AuditRecord } from './audit.ts';

const eventOf: Record<(typeof fileActions)[number], AuditRecord['event']> = {
  file_uploaded: 'file.upload',
  file_shared: 'file.share',
  file_unshared: 'file.unshare',
  file_deleted: 'file.delete',
  file_restored: 'file.restore',
  file_purged: 'file.purge',
  file_exported: 'file.export',
};

/** Records uploads, shares, deletions and similar actions on files exactly once, with the time of the event and the owner. */
export function recordFileActions({ db }: { db: Db }) {
  return consumer(mediaEvents.actionPerformed, 'record-file-actions', async (action, delivery) => {
    const { fileId, ownerId, actorId, client } = action;
    const row = toAuditRow({
      event: eventOf[action.action],
      outcome: 'success',
      actor: actorId ?? 'media',
      userId: ownerId,
      client,
      details: { file: fileId, ...action.details },
    });
    await db.auditLog.createMany({ data: [{ ...row, id: delivery.id, time: delivery.time }], skipDuplicates: true });
  });
}
