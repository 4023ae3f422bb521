import { maxWordTemplates, type BodyOf, type mediaRoutes, type WordTemplateObject } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { recordOperation, type Actor } from '../audit/audit.ts';
import { isUniqueViolation, type Db, type Tx } from '../database.ts';
import { checkInThread } from './check-template.adapter.ts';
import { listWordTemplates, readWordTemplate } from './word-templates.store.ts';
import { toWordTemplateObject, wordTemplateErrors as errors } from './word-templates.ts';

export type WordTemplatesDeps = { db: Db; outbox: Outbox };
type Change = BodyOf<typeof mediaRoutes.updateWordTemplate>;

/** Word documents of the organisation that exports take the form of. */
export function createWordTemplates({ db, outbox }: WordTemplatesDeps) {
  const record = (
    tx: Tx,
    actor: Actor,
    action: 'word_template_added' | 'word_template_changed' | 'word_template_deleted',
    { id, name, ...details }: { id: string; name: string; change?: string },
  ): Promise<void> => recordOperation(tx, outbox, actor, action, { template: id, name, ...details });

  return {
    list: async (): Promise<WordTemplateObject[]> => (await listWordTemplates(db)).map(toWordTemplateObject),

    content: async (id: string): Promise<{ name: string; content: Uint8Array }> => {
      const found = await db.wordTemplate.findUnique({ where: { id }, select: { name: true, content: true } });
      if (!found) throw errors.unknown();
      return found;
    },

    add: async (actor: Actor, name: string, bytes: Uint8Array): Promise<WordTemplateObject> => {
      const data = { name, ...(await checkInThread(bytes)) };
      return db.$transaction(async (tx) => {
        await lockTemplates(tx);
        if ((await tx.wordTemplate.count()) >= maxWordTemplates) throw errors.full();
        const [created] = await tx.wordTemplate.createManyAndReturn({
          data,
          skipDuplicates: true,
          select: { id: true },
        });
        if (!created) throw errors.exists(name);
        await record(tx, actor, 'word_template_added', { id: created.id, name });
        return toWordTemplateObject(await readWordTemplate(tx, created.id));
      });
    },

    replace: async (actor: Actor, id: string, readBytes: () => Promise<Uint8Array>): Promise<WordTemplateObject> => {
      await readWordTemplate(db, id);
      const checked = await checkInThread(await readBytes());
      return db.$transaction(async (tx) => {
        await lockTemplates(tx);
        const { name } = await readWordTemplate(tx, id);
        await tx.wordTemplate.update({
          where: { id },
          data: { ...checked, updatedAt: new Date() },
          select: { id: true },
        });
        await record(tx, actor, 'word_template_changed', { id, name, change: 'document' });
        return toWordTemplateObject(await readWordTemplate(tx, id));
      });
    },

    update: async (actor: Actor, id: string, { name, is_default: isDefault }: Change): Promise<WordTemplateObject> => {
      const change = async (tx: Tx): Promise<WordTemplateObject> => {
        await lockTemplates(tx);
        const before = await readWordTemplate(tx, id);
        const renames = name !== undefined && name !== before.name;
        const sets = isDefault !== undefined && isDefault !== before.isDefault;
        if (!renames && !sets) return toWordTemplateObject(before);
        if (sets && isDefault)
          await tx.wordTemplate.updateMany({ where: { isDefault: true }, data: { isDefault: false } });
        const data = { ...(renames && { name }), ...(sets && { isDefault }), updatedAt: new Date() };
        await tx.wordTemplate.update({ where: { id }, data, select: { id: true } });
        const changed = [...(renames ? ['name'] : []), ...(sets ? [isDefault ? 'default' : 'no longer default'] : [])];
        const after = await readWordTemplate(tx, id);
        await record(tx, actor, 'word_template_changed', { id, name: after.name, change: changed.join(', ') });
        return toWordTemplateObject(after);
      };
      try {
        return await db.$transaction(change);
      } catch (error) {
        throw isUniqueViolation(error) ? errors.exists(name ?? '', { cause: error }) : error;
      }
    },

    remove: (actor: Actor, id: string): Promise<undefined> =>
      db.$transaction(async (tx) => {
        await lockTemplates(tx);
        const { name } = await readWordTemplate(tx, id);
        await tx.wordTemplate.delete({ where: { id }, select: { id: true } });
        await record(tx, actor, 'word_template_deleted', { id, name });
        return undefined;
      }),
  };
}

/** Changes wait for each other: their number has a limit, and one is the default. */
async function lockTemplates(tx: Tx): Promise<void> {
  await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended('word templates', 0))`;
}
