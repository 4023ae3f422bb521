import {
  codeLimits,
  type BodyOf,
  type CodeListObject,
  type CodeObject,
  type mediaRoutes,
  type QueryOf,
} from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { conflict, invalid, type Caller } from '@overtone/service-kit';
import { readableBy, scopeOfShared } from '../access/access.store.ts';
import { recordOperation, type Actor } from '../audit/audit.ts';
import { isUniqueViolation, type Db, type Tx } from '../database.ts';
import type { CodeList } from '../generated/client.ts';
import type { People } from '../ports/people.adapter.ts';
import { codeExists, codeListExists, noSuchCodeList, toCodeListObject, toCodeObject } from './codes.ts';
import {
  checkCodesNotHeld,
  codeListPermissions,
  codeOf,
  lockedCodeList,
  publishCodeListChange,
  usableCodeList,
} from './codes.store.ts';

type Routes = typeof mediaRoutes;
export type CodesDeps = { db: Db; outbox: Outbox; people: Pick<People, 'names' | 'exists'> };

/** Lists of codes: what their owners and editors do with them. */
export function createCodeLists({ db, outbox, people }: CodesDeps) {
  const describe = createDescriptions({ db, people });
  const describeOne = async (caller: Caller, id: string): Promise<CodeListObject> => {
    const [object] = await describe(caller, [await usableCodeList(db, caller, id, 'read')]);
    if (!object) throw noSuchCodeList();
    return object;
  };

  /** Changes the codes of a list, which counts as changed, too. */
  const changing = async <T>(caller: Caller, id: string, change: (tx: Tx, list: CodeList) => Promise<T>): Promise<T> =>
    db.$transaction(async (tx) => {
      const list = await lockedCodeList(tx, caller, id, 'edit');
      const result = await change(tx, list);
      await tx.codeList.update({ where: { id }, data: { updatedAt: new Date() } });
      await publishCodeListChange(tx, outbox, list);
      return result;
    });

  return {
    list: async (caller: Caller, { ownership, page, page_size }: QueryOf<Routes['listCodeLists']>) => {
      const where = await scopeOfShared(db, caller, ownership);
      const [lists, total] = await Promise.all([
        db.codeList.findMany({
          where,
          orderBy: [{ name: 'asc' }, { id: 'asc' }],
          skip: (page - 1) * page_size,
          take: page_size,
        }),
        db.codeList.count({ where }),
      ]);
      return { items: await describe(caller, lists), total, page, page_size };
    },

    get: describeOne,

    create: async (
      caller: Caller,
      { name, description }: BodyOf<Routes['createCodeList']>,
    ): Promise<CodeListObject> => {
      if ((await db.codeList.count({ where: { userId: caller.userId } })) >= codeLimits.lists)
        throw conflict('code_lists_full', `You can have at most ${codeLimits.lists} lists of codes.`);
      const data = { userId: caller.userId, name, description };
      const [list] = await db.codeList.createManyAndReturn({ data, skipDuplicates: true });
      if (!list) throw codeListExists(name);
      return describeOne(caller, list.id);
    },

    update: async (
      caller: Caller,
      id: string,
      { name, description }: BodyOf<Routes['updateCodeList']>,
    ): Promise<CodeListObject> => {
      const data = { ...(name !== undefined && { name }), ...(description !== undefined && { description }) };
      try {
        await changing(caller, id, (tx) => tx.codeList.update({ where: { id }, data }));
      } catch (error) {
        throw isUniqueViolation(error) ? codeListExists(name ?? '', { cause: error }) : error;
      }
      return describeOne(caller, id);
    },

    remove: (actor: Actor, id: string): Promise<undefined> =>
      db.$transaction(async (tx) => {
        const list = await lockedCodeList(tx, actor, id, 'own');
        const codes = await tx.code.findMany({ where: { listId: id }, select: { id: true } });
        await checkCodesNotHeld(
          tx,
          codes.map((code) => code.id),
        );
        await publishCodeListChange(tx, outbox, list);
        await tx.codeList.delete({ where: { id } });
        const details = { list: id, name: list.name, owner: list.userId };
        await recordOperation(tx, outbox, actor, 'code_list_deleted', details);
        return undefined;
      }),

    addCode: async (caller: Caller, listId: string, body: BodyOf<Routes['addCode']>): Promise<CodeObject> => {
      const { name, color, description, parent_uuid: parentId } = body;
      const code = await changing(caller, listId, async (tx) => {
        if ((await tx.code.count({ where: { listId } })) >= codeLimits.codes)
          throw conflict('codes_full', `A list can have at most ${codeLimits.codes} codes.`);
        await checkParent(tx, listId, null, parentId);
        const data = { listId, parentId, name, color, description };
        const [added] = await tx.code.createManyAndReturn({ data, skipDuplicates: true });
        if (!added) throw codeExists(name);
        return added;
      });
      return toCodeObject(code, 0);
    },

    editCode: async (
      caller: Caller,
      listId: string,
      id: string,
      { name, color, description, parent_uuid: parentId }: BodyOf<Routes['editCode']>,
    ): Promise<CodeObject> => {
      const change = async (tx: Tx) => {
        const before = await codeOf(tx, listId, id);
        // A code under another name says something else about the passages that have it.
        if (name !== undefined && name !== before.name) await checkCodesNotHeld(tx, [id]);
        if (parentId !== undefined) await checkParent(tx, listId, id, parentId);
        return tx.code.update({
          where: { id },
          data: {
            ...(name !== undefined && { name }),
            ...(color !== undefined && { color }),
            ...(description !== undefined && { description }),
            ...(parentId !== undefined && { parentId }),
          },
        });
      };
      const code = await changing(caller, listId, change).catch((error: unknown) => {
        throw isUniqueViolation(error) ? codeExists(name ?? '', { cause: error as Error }) : (error as Error);
      });
      return toCodeObject(code, (await countPassages(db, caller, [id])).get(id) ?? 0);
    },

    removeCode: (caller: Caller, listId: string, id: string): Promise<undefined> =>
      changing(caller, listId, async (tx) => {
        await codeOf(tx, listId, id);
        const removed = await tx.code.findMany({ where: { OR: [{ id }, { parentId: id }] }, select: { id: true } });
        await checkCodesNotHeld(
          tx,
          removed.map((code) => code.id),
        );
        await tx.code.delete({ where: { id } });
        return undefined;
      }),
  };
}

/** One level: neither the parent has a parent, nor has the code others below it. */
async function checkParent(tx: Tx, listId: string, id: string | null, parentId: string | null): Promise<void> {
  if (parentId === null) return;
  const parent = await tx.code.findFirst({ where: { id: parentId, listId, parentId: null } });
  const hasBelow = id !== null && (await tx.code.count({ where: { parentId: id } })) > 0;
  if (!parent || hasBelow || parentId === id)
    throw invalid('invalid_body', 'The code cannot belong to this one.', {
      errors: [{ path: 'parent_uuid', message: 'must be a code of the list that belongs to no other code' }],
    });
}

/** Passages that the caller may read, by the id of their code. */
async function countPassages(db: Db, caller: Caller, codeIds: string[]): Promise<Map<string, number>> {
  const counts = await db.coding.groupBy({
    by: ['codeId'],
    where: { codeId: { in: codeIds }, file: await readableBy(db, caller) },
    _count: true,
  });
  return new Map(counts.map(({ codeId, _count: count }) => [codeId, count]));
}

function createDescriptions({ db, people }: Pick<CodesDeps, 'db' | 'people'>) {
  return async (caller: Caller, lists: readonly CodeList[]): Promise<CodeListObject[]> => {
    const where = { listId: { in: lists.map(({ id }) => id) } };
    const codes = await db.code.findMany({ where });
    const [permissions, shares, names, passages] = await Promise.all([
      codeListPermissions(db, caller, lists),
      db.codeListShare.groupBy({ by: ['listId'], where, _count: true }),
      people.names(lists.map(({ userId }) => userId).filter((userId) => userId !== caller.userId)),
      countPassages(
        db,
        caller,
        codes.map(({ id }) => id),
      ),
    ]);
    const shared = new Set(shares.map(({ listId }) => listId));
    const byList = Map.groupBy(codes, ({ listId }) => listId);
    return lists.map((list) =>
      toCodeListObject(list, byList.get(list.id) ?? [], {
        permission: permissions.get(list.id) ?? 'viewer',
        ownerName: names.get(list.userId) ?? null,
        isShared: shared.has(list.id),
        passages,
      }),
    );
  };
}
