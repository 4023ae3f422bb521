import { mediaRoutes, type AnswerOf, type BodyOf } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { conflict, handle, notFound, type Slice } from '@overtone/service-kit';
import { actorOf, recordOperation, type Actor } from '../audit/audit.ts';
import type { Db, Tx } from '../database.ts';
import type { LegalHold } from '../generated/client.ts';
import type { People } from '../ports/people.adapter.ts';

type LegalHoldDeps = { db: Db; outbox: Outbox; people: Pick<People, 'names' | 'exists'> };
type HoldObject = AnswerOf<typeof mediaRoutes.placeLegalHold>;
type HoldRequest = BodyOf<typeof mediaRoutes.placeLegalHold>;

/** Holds keep a file, or every file of an owner, from each deletion: by users, the bin, retention rules and erasures. */
export function createLegalHoldSlice({ db, outbox, people }: LegalHoldDeps): Slice {
  const toObjects = async (holds: LegalHold[]): Promise<HoldObject[]> => {
    const files = await db.mediaFile.findMany({
      where: { id: { in: holds.flatMap(({ fileId }) => fileId ?? []) } },
      select: { id: true, title: true },
    });
    const titles = new Map(files.map(({ id, title }) => [id, title]));
    const names = await people.names(holds.flatMap(({ userId, placedBy }) => [userId ?? [], placedBy ?? []].flat()));
    return holds.map((hold) => ({
      uuid: hold.id,
      file_uuid: hold.fileId,
      file_title: titles.get(hold.fileId ?? '') ?? null,
      user_uuid: hold.userId,
      user_name: names.get(hold.userId ?? '') ?? null,
      reason: hold.reason,
      placed_by: hold.placedBy,
      placed_by_name: names.get(hold.placedBy ?? '') ?? null,
      placed_at: hold.placedAt.toISOString(),
    }));
  };

  return {
    routes: [
      handle(mediaRoutes.legalHolds, async ({ query: { page, page_size: size } }) => {
        const [holds, total] = await Promise.all([
          db.legalHold.findMany({
            orderBy: [{ placedAt: 'desc' }, { id: 'asc' }],
            skip: (page - 1) * size,
            take: size,
          }),
          db.legalHold.count(),
        ]);
        return { items: await toObjects(holds), total, page, page_size: size };
      }),
      handle(mediaRoutes.placeLegalHold, async (request) => {
        const { user_uuid: userId } = request.body;
        if (userId !== undefined && !(await people.exists(userId))) throw notFound('There is no such account.');
        const hold = await db.$transaction((tx) => placeHold(tx, outbox, actorOf(request), request.body));
        const [object] = await toObjects([hold]);
        return object!;
      }),
      handle(mediaRoutes.releaseLegalHold, async (request) => {
        const { uuid: id } = request.params;
        await db.$transaction(async (tx) => {
          const hold = await tx.legalHold.findUnique({ where: { id } });
          if (!hold) throw notFound('There is no such hold.');
          await tx.legalHold.delete({ where: { id } });
          await recordOperation(tx, outbox, actorOf(request), 'legal_hold_released', detailsOf(hold));
        });
        return undefined;
      }),
    ],
  };
}

async function placeHold(tx: Tx, outbox: Outbox, actor: Actor, request: HoldRequest): Promise<LegalHold> {
  const { file_uuid: fileId = null, user_uuid: userId = null, reason } = request;
  // Deletions lock the file first, so each of them ends before the hold or sees it.
  const files = await tx.$queryRaw<{ id: string }[]>`
    select uuid::text as id from media_file where uuid = ${fileId}::uuid or user_id = ${userId}::uuid
    order by uuid for update`;
  if (fileId !== null && files.length === 0) throw notFound('There is no such file.');
  const { count } = await tx.legalHold.createMany({
    data: { fileId, userId, reason, placedBy: actor.userId },
    skipDuplicates: true,
  });
  if (count === 0) throw conflict('already_held', 'There is a legal hold on this already.');
  const hold = await tx.legalHold.findFirstOrThrow({ where: fileId === null ? { userId } : { fileId } });
  await recordOperation(tx, outbox, actor, 'legal_hold_placed', detailsOf(hold));
  return hold;
}

function detailsOf({ id, fileId, userId, reason }: LegalHold) {
  return { hold: id, ...(fileId === null ? { owner: userId ?? '' } : { file: fileId }), reason };
}
