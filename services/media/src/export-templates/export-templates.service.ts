import {
  maxExportTemplates,
  type BodyOf,
  type ExportTemplateObject,
  type mediaRoutes,
  type QueryOf,
} from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { conflict, type Caller } from '@overtone/service-kit';
import { permits } from '../access/access.ts';
import { recordOperation, type Actor } from '../audit/audit.ts';
import { isUniqueViolation, type Db, type Tx } from '../database.ts';
import type { ExportTemplate } from '../generated/client.ts';
import type { People } from '../ports/people.adapter.ts';
import { noSuchTemplate, templateExists, templateNotAllowed, toTemplateObject } from './export-templates.ts';
import { lockedTemplate, templatePermissions, templateScope, usableTemplate } from './export-templates.store.ts';

type Routes = typeof mediaRoutes;
export type TemplatesDeps = { db: Db; outbox: Outbox; people: Pick<People, 'names' | 'exists'> };

/** Named sets of export options: what their owners and editors do with them. */
export function createTemplates({ db, outbox, people }: TemplatesDeps) {
  const describe = async (caller: Caller, templates: readonly ExportTemplate[]): Promise<ExportTemplateObject[]> => {
    const where = { templateId: { in: templates.map(({ id }) => id) } };
    const [permissions, shares, names] = await Promise.all([
      templatePermissions(db, caller, templates),
      db.exportTemplateShare.groupBy({ by: ['templateId'], where, _count: true }),
      people.names(templates.map(({ userId }) => userId).filter((userId) => userId !== caller.userId)),
    ]);
    const shared = new Set(shares.map(({ templateId }) => templateId));
    return templates.map((template) =>
      toTemplateObject(template, {
        permission: permissions.get(template.id) ?? 'viewer',
        ownerName: names.get(template.userId) ?? null,
        isShared: shared.has(template.id),
      }),
    );
  };
  const describeOne = async (caller: Caller, id: string): Promise<ExportTemplateObject> => {
    const [object] = await describe(caller, [await usableTemplate(db, caller, id, 'read')]);
    if (!object) throw noSuchTemplate();
    return object;
  };

  return {
    list: async (caller: Caller, { page, page_size }: QueryOf<Routes['listExportTemplates']>) => {
      const where = await templateScope(db, caller);
      const [templates, total] = await Promise.all([
        db.exportTemplate.findMany({
          where,
          orderBy: [{ name: 'asc' }, { id: 'asc' }],
          skip: (page - 1) * page_size,
          take: page_size,
        }),
        db.exportTemplate.count({ where }),
      ]);
      return { items: await describe(caller, templates), total, page, page_size };
    },

    create: async (
      caller: Caller,
      { name, format, options }: BodyOf<Routes['createExportTemplate']>,
    ): Promise<ExportTemplateObject> => {
      const { userId } = caller;
      const template = await db.$transaction(async (tx) => {
        await lockTemplatesOf(tx, userId);
        if ((await tx.exportTemplate.count({ where: { userId } })) >= maxExportTemplates)
          throw conflict('export_templates_full', `You can have at most ${maxExportTemplates} export templates.`);
        const data = { userId, name, format, options };
        const [created] = await tx.exportTemplate.createManyAndReturn({ data, skipDuplicates: true });
        if (!created) throw templateExists(name);
        return created;
      });
      return describeOne(caller, template.id);
    },

    update: async (
      actor: Actor,
      id: string,
      { name, format, options, for_everybody: forEverybody }: BodyOf<Routes['updateExportTemplate']>,
    ): Promise<ExportTemplateObject> => {
      const change = async (tx: Tx): Promise<void> => {
        const template = await lockedTemplate(tx, actor, id, 'edit');
        const offers = forEverybody !== undefined && forEverybody !== template.forEverybody;
        if (offers && !permits(template.permission, 'own')) throw templateNotAllowed('own');
        await tx.exportTemplate.update({
          where: { id },
          data: {
            ...(name !== undefined && { name }),
            ...(format !== undefined && { format }),
            ...(options !== undefined && { options }),
            ...(offers && { forEverybody }),
            updatedAt: new Date(),
          },
        });
        if (!offers) return;
        const details = { template: id, name: template.name, owner: template.userId, with: 'everybody' };
        const action = forEverybody ? 'export_template_shared' : 'export_template_unshared';
        await recordOperation(tx, outbox, actor, action, details);
      };
      try {
        await db.$transaction(change);
      } catch (error) {
        throw isUniqueViolation(error) ? templateExists(name ?? '', { cause: error }) : error;
      }
      return describeOne(actor, id);
    },

    remove: (actor: Actor, id: string): Promise<undefined> =>
      db.$transaction(async (tx) => {
        const { name, userId: owner } = await lockedTemplate(tx, actor, id, 'own');
        await tx.exportTemplate.delete({ where: { id } });
        await recordOperation(tx, outbox, actor, 'export_template_deleted', { template: id, name, owner });
        return undefined;
      }),
  };
}

/** Concurrent additions of one person wait for each other, so that their number has its limit. */
async function lockTemplatesOf(tx: Tx, userId: string): Promise<void> {
  await tx.$executeRaw`select pg_advisory_xact_lock(hashtextextended('export templates ' || ${userId}::text, 0))`;
}
