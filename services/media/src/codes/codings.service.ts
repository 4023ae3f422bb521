import { codeLimits, mediaEvents, type BodyOf, type CodingObject, type mediaRoutes } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { conflict, forbidden, notFound } from '@overtone/service-kit';
import { permits } from '../access/access.ts';
import { lockedFile } from '../access/access.store.ts';
import { auditAction, type Actor } from '../audit/audit.ts';
import { toMs } from '../comments/comments.ts';
import type { Db } from '../database.ts';
import { idsOf } from '../files/files.ts';
import { checkNotHeld } from '../legal-hold/legal-hold.store.ts';
import { codeListPermissions, keptCode } from './codes.store.ts';
import type { PassageViews } from './passages.read-model.ts';

type Deps = { db: Db; outbox: Outbox; views: Pick<PassageViews, 'one'> };

/** Gives codes to passages: the caller must be able to read the file and to edit the list of codes. */
export function createCodings({ db, outbox, views }: Deps) {
  return {
    /** A code that the caller has given to the same place before does not change. */
    add: async (
      actor: Actor,
      fileId: string,
      { code_uuid: codeId, start_time: start, end_time: end }: BodyOf<(typeof mediaRoutes)['addCoding']>,
    ): Promise<CodingObject> => {
      const id = await db.$transaction(async (tx) => {
        // The list before the file, in the order of those who delete codes.
        const kept = await keptCode(tx, actor, codeId, 'edit').catch(async (error: unknown) => {
          // Who may not read the file learns nothing about codes.
          await lockedFile(tx, actor, fileId, 'read');
          throw error;
        });
        const file = await lockedFile(tx, actor, fileId, 'read');
        if ((await tx.coding.count({ where: { fileId } })) >= codeLimits.codings)
          throw conflict('codings_full', `A recording can have at most ${codeLimits.codings} passages with codes.`);
        const place = { codeId: kept.code.id, fileId, startMs: toMs(start), endMs: toMs(end), authorId: actor.userId };
        const [added] = await tx.coding.createManyAndReturn({ data: place, skipDuplicates: true });
        if (!added) return (await tx.coding.findFirstOrThrow({ where: place })).id;
        await outbox.add(tx, mediaEvents.codingsChanged, idsOf(file));
        return added.id;
      });
      return views.one(actor, fileId, id);
    },

    remove: (actor: Actor, fileId: string, id: string): Promise<undefined> =>
      db.$transaction(async (tx) => {
        const file = await lockedFile(tx, actor, fileId, 'read');
        const coding = await tx.coding.findFirst({
          where: { id, fileId },
          include: { code: { include: { list: true } } },
        });
        const { list, name } = coding?.code ?? {};
        const permission = list && (await codeListPermissions(tx, actor, [list])).get(list.id);
        if (!coding || !permission) throw notFound('There is no such passage with a code.');
        const isOwn = coding.authorId === actor.userId;
        if (!isOwn && !permits(file.permission, 'own') && !permits(permission, 'own'))
          throw forbidden(
            'permission_required',
            'Only the person who gave the code, and the owners of the file and of the list may remove it.',
          );
        await checkNotHeld(tx, file, 'remove codes');
        await tx.coding.delete({ where: { id } });
        await outbox.add(tx, mediaEvents.codingsChanged, idsOf(file));
        const details = { author: coding.authorId ?? '', code: name ?? '' };
        if (!isOwn) await auditAction(tx, outbox, 'coding_deleted', { file, actor, details });
        return undefined;
      }),
  };
}
