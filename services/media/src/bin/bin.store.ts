import { mediaEvents } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { auditAction, type Actor } from '../audit/audit.ts';
import type { Tx } from '../database.ts';
import { idsOf, isSettled, type FileRow } from '../files/files.ts';
import { awaitsDownload, endImport } from '../imports/imports.store.ts';
import { checkNotHeld } from '../legal-hold/legal-hold.store.ts';

type Discard = {
  file: FileRow;
  /** null: a retention rule. */
  actor: Actor | null;
  binDays: number;
  details?: Record<string, string | number>;
};

/** Moves a locked file to the bin, or deletes it permanently when there is none. @throws AppError legal_hold. */
export async function discardFile(tx: Tx, outbox: Outbox, { file, actor, binDays, details }: Discard): Promise<void> {
  await checkNotHeld(tx, file);
  await tx.mediaFile.update({
    where: { id: file.id },
    data: { deletedAt: new Date(), deletedBy: actor?.userId ?? null },
  });
  if (awaitsDownload(file)) await endImport(tx, outbox, file, { status: 'cancelled' });
  else if (!isSettled(file.status)) await outbox.add(tx, mediaEvents.cancelOrdered, idsOf(file));
  await outbox.add(tx, mediaEvents.binned, idsOf(file));
  await auditAction(tx, outbox, 'file_deleted', { file, actor, ...(details && { details }) });
  if (binDays === 0) await purgeFile(tx, outbox, file, actor);
}

/**
 * Deletes the rows now and the objects through the event, so that a crash leaves neither behind.
 * @throws AppError legal_hold.
 */
export async function purgeFile(tx: Tx, outbox: Outbox, file: FileRow, actor: Actor | null): Promise<void> {
  await checkNotHeld(tx, file);
  await tx.mediaFile.delete({ where: { id: file.id } });
  await outbox.add(tx, mediaEvents.deleted, idsOf(file));
  await auditAction(tx, outbox, 'file_purged', { file, actor });
}
