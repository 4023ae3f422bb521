import { conflict } from '@overtone/service-kit';
import type { Db, Tx } from '../database.ts';
import { Prisma, type MediaFile } from '../generated/client.ts';

type HeldBy = Pick<MediaFile, 'id' | 'userId'>;

/** The condition that no hold protects the row `f` of media_file. */
export const notHeld = Prisma.sql`
  not exists (select 1 from legal_hold h where h.media_file_id = f.uuid or h.user_id = f.user_id)`;

/** The held files of a list. Placing a hold locks its files, so the answer is valid while the rows stay locked. */
export async function heldOf(db: Db | Tx, files: readonly HeldBy[]): Promise<Set<string>> {
  const holds = await db.legalHold.findMany({
    where: {
      OR: [{ fileId: { in: files.map(({ id }) => id) } }, { userId: { in: files.map(({ userId }) => userId) } }],
    },
  });
  const subjects = new Set(holds.map(({ fileId, userId }) => fileId ?? userId));
  return new Set(files.filter(({ id, userId }) => subjects.has(id) || subjects.has(userId)).map(({ id }) => id));
}

/** @throws AppError conflict: nothing deletes a file under a legal hold. */
export async function checkNotHeld(
  tx: Tx,
  file: HeldBy,
  refused?: 'change comments' | 'delete comments' | 'remove codes',
): Promise<void> {
  if ((await heldOf(tx, [file])).size > 0)
    throw conflict(
      'legal_hold',
      `This file is under a legal hold and ${refused ? `nobody can ${refused}` : 'cannot be deleted'}. An administrator can release it.`,
    );
}
