import { mediaEvents, type RunOptions } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { Db, Tx } from '../database.ts';
import type { Prisma } from '../generated/client.ts';
import { idsOf, resetColumns, withRelations, type FileRow } from './files.ts';

const dayMs = 24 * 3_600_000;

export function readFile(db: Db | Tx, id: string) {
  return db.mediaFile.findUniqueOrThrow({ where: { id }, include: withRelations });
}

export function updateFile(tx: Tx, id: string, change: Prisma.MediaFileUpdateInput) {
  const data = { ...change, updatedAt: new Date() };
  return tx.mediaFile.update({ where: { id }, data, include: withRelations });
}

/** Notes that a file was opened, played or exported. Coarse on purpose: one write per file and day, and not by whom. */
export async function recordUse(db: Db, { id, lastUsedOn }: { id: string; lastUsedOn?: Date }): Promise<void> {
  if (lastUsedOn && Date.now() - lastUsedOn.getTime() < dayMs) return;
  await db.$executeRaw`
    update media_file set last_used_on = current_date where uuid = ${id}::uuid and last_used_on < current_date`;
}

/** Requests a new run of a file, in the caller's transaction; events of earlier runs are ignored from now on. */
export async function requeue(
  tx: Tx,
  outbox: Outbox,
  file: Pick<FileRow, 'id' | 'userId' | 'objectKey' | 'contentType' | 'options'>,
): Promise<void> {
  const { id, objectKey, contentType } = file;
  const options = file.options as RunOptions;
  await tx.mediaFile.update({
    where: { id },
    data: { ...resetColumns, status: 'queued', options, updatedAt: new Date() },
  });
  // Uses the database's clock, which also stamps the events.
  await tx.$executeRaw`update media_file set run_id = null, run_opened_at = now() where uuid = ${id}::uuid`;
  await outbox.add(tx, mediaEvents.reprocessOrdered, { ...idsOf(file), objectKey, contentType, options });
  await outbox.add(tx, mediaEvents.updated, { ...idsOf(file), status: 'queued' });
}
