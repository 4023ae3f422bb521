import type { BodyOf, PromptItem, PromptObject, promptRoutes, QueryOf } from '@overtone/contracts';
import { forbidden, notFound, type Caller } from '@overtone/service-kit';
import type { Db, Tx } from '../database.ts';
import type { InsightPrompt } from '../generated/client.ts';
import type { People } from '../ports/people.adapter.ts';
import { activePromptsOf, type ActivePrompt } from './active-prompts.service.ts';
import { builtInOf, builtInPrompts, type BuiltInPrompt } from './built-in.ts';
import { distinctTags, isReadable, toBuiltInItem, toPromptItem, toPromptObject } from './prompts.ts';
import { findPrompt, insertPrompt, listLibrary, listPrompts, setActive } from './prompts.store.ts';

type Routes = typeof promptRoutes;
type Deps = { db: Db; people: People };
type Listed = Pick<QueryOf<Routes['prompts']>, 'page' | 'page_size' | 'content_type' | 'q'>;

/** Built-in, own and shared prompts. */
export function createPrompts({ db, people }: Deps) {
  const readerOf = async (userId: string, rows: readonly InsightPrompt[]) => ({
    userId,
    activeIds: activeIdsOf(await activePromptsOf(db, userId)),
    names: await people.names(rows.map((row) => row.userId)),
  });
  const pageOf = async (
    caller: Caller,
    { page, page_size }: Listed,
    { builtIns, rows, total }: { builtIns: readonly BuiltInPrompt[]; rows: readonly InsightPrompt[]; total: number },
  ) => {
    const reader = await readerOf(caller.userId, rows);
    const items: PromptItem[] = [
      ...builtIns.map((prompt) => toBuiltInItem(prompt, reader)),
      ...rows.map((row) => toPromptItem(row, reader)),
    ];
    return { items, total, page, page_size };
  };
  const show = async ({ userId }: Caller, row: InsightPrompt): Promise<PromptObject> =>
    toPromptObject(row, await readerOf(userId, [row]));
  return {
    list: async (caller: Caller, query: QueryOf<Routes['prompts']>) => {
      const skip = (query.page - 1) * query.page_size;
      const matching = query.include_system ? builtInsFor(query) : [];
      const builtIns = matching.slice(skip, skip + query.page_size);
      const { rows, total } = await listPrompts(db, caller.userId, {
        q: query.q,
        contentType: query.content_type,
        includeOwn: query.include_user,
        includeShared: query.include_shared,
        skip: Math.max(0, skip - matching.length),
        take: query.page_size - builtIns.length,
      });
      return pageOf(caller, query, { builtIns, rows, total: matching.length + total });
    },

    library: async (caller: Caller, query: QueryOf<Routes['promptLibrary']>) => {
      const range = { skip: (query.page - 1) * query.page_size, take: query.page_size };
      const found = await listLibrary(db, { q: query.q, contentType: query.content_type, ...range });
      return pageOf(caller, query, { builtIns: [], ...found });
    },

    read: async (caller: Caller, id: string): Promise<PromptObject> => {
      const builtIn = builtInOf(id);
      if (!builtIn) return show(caller, await readablePrompt(db, caller, id));
      return { ...toBuiltInItem(builtIn, await readerOf(caller.userId, [])), text: builtIn.text };
    },

    create: async (caller: Caller, body: BodyOf<Routes['createPrompt']>): Promise<PromptObject> => {
      const { content_type: contentType, tags, ...fields } = body;
      const row = await db.$transaction((tx) =>
        insertPrompt(tx, caller.userId, { ...fields, contentType, tags: distinctTags(tags) }),
      );
      return show(caller, row);
    },

    update: async (caller: Caller, id: string, body: BodyOf<Routes['updatePrompt']>): Promise<PromptObject> => {
      const { content_type: contentType, tags, name, description, text } = body;
      await ownPrompt(db, caller, id);
      const { count } = await db.insightPrompt.updateMany({
        where: { id, userId: caller.userId },
        data: {
          ...(name === undefined ? {} : { name }),
          ...(description === undefined ? {} : { description }),
          ...(text === undefined ? {} : { text }),
          ...(contentType === undefined ? {} : { contentType }),
          ...(tags === undefined ? {} : { tags: distinctTags(tags) }),
          updatedAt: new Date(),
        },
      });
      if (count === 0) throw noSuchPrompt();
      return show(caller, await ownPrompt(db, caller, id));
    },

    remove: async (caller: Caller, id: string): Promise<undefined> => {
      await ownPrompt(db, caller, id);
      await db.$transaction(async (tx) => {
        await tx.insightActivePrompt.deleteMany({ where: { userId: caller.userId, promptId: id } });
        await tx.insightPrompt.deleteMany({ where: { id, userId: caller.userId } });
      });
      return undefined;
    },

    toggleSharing: async (caller: Caller, id: string): Promise<PromptObject> => {
      await ownPrompt(db, caller, id);
      await db.$executeRaw`
        update insight_prompt set is_shared = not is_shared, updated_at = now()
        where uuid = ${id}::uuid and user_id = ${caller.userId}::uuid`;
      return show(caller, await ownPrompt(db, caller, id));
    },

    active: async ({ userId }: Caller) => {
      const active = await activePromptsOf(db, userId);
      const rows = active.flatMap(({ stored }) => stored ?? []);
      const reader = {
        userId,
        activeIds: activeIdsOf(active),
        names: await people.names(rows.map((row) => row.userId)),
      };
      const items = active.map(({ contentType, builtIn, stored, isFallback }) => ({
        content_type: contentType,
        prompt: builtIn ? toBuiltInItem(builtIn, reader) : toPromptItem(stored, reader),
        is_fallback: isFallback,
      }));
      return { items };
    },

    /** Makes a prompt the active one of its content type. @returns the content type. */
    activate: async (caller: Caller, id: string): Promise<string> =>
      db.$transaction(async (tx) => {
        const builtIn = builtInOf(id);
        const { contentType } = builtIn ?? (await readablePrompt(tx, caller, id));
        await setActive(tx, { userId: caller.userId, contentType, promptId: builtIn ? null : id });
        return contentType;
      }),
  };
}

export type Prompts = ReturnType<typeof createPrompts>;

function builtInsFor({ content_type: contentType, q: words = '' }: Listed): BuiltInPrompt[] {
  return Object.values(builtInPrompts).filter(
    (prompt) =>
      (contentType === undefined || prompt.contentType === contentType) &&
      prompt.name.toLowerCase().includes(words.toLowerCase()),
  );
}

function activeIdsOf(active: readonly ActivePrompt[]): ReadonlySet<string> {
  return new Set(active.map(({ builtIn, stored }) => (builtIn ?? stored).id));
}

async function readablePrompt(db: Db | Tx, { userId }: Caller, id: string): Promise<InsightPrompt> {
  const row = await findPrompt(db, id);
  if (!row || !isReadable(row, userId)) throw noSuchPrompt();
  return row;
}

async function ownPrompt(db: Db, caller: Caller, id: string): Promise<InsightPrompt> {
  if (builtInOf(id)) throw readOnly('A built-in prompt cannot be changed. Make a copy of it.');
  const row = await readablePrompt(db, caller, id);
  if (row.userId !== caller.userId) throw readOnly('This prompt belongs to another person. Make a copy of it.');
  return row;
}

/** The same error for an unknown prompt and for one that is not shared. */
function noSuchPrompt() {
  return notFound('There is no such prompt.');
}

function readOnly(message: string) {
  return forbidden('prompt_read_only', message);
}
