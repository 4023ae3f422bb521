import type { SharePermission } from '@overtone/contracts';
import { permits, type Action, type Permission } from '../access/access.ts';
import { permissionsOnShared, scopeOfShared, type Reader } from '../access/access.store.ts';
import type { Db, Tx } from '../database.ts';
import type { ExportTemplate, ExportTemplateShare, Prisma } from '../generated/client.ts';
import type { ShareTarget } from '../sharing/sharing.ts';
import { noSuchTemplate, templateNotAllowed } from './export-templates.ts';

/** A template with the caller's permission. */
export type UsableTemplate = ExportTemplate & { permission: Permission };

/** The filter for what the caller may choose: own templates, and those shared with the caller or with everybody. */
export async function templateScope(db: Db, { userId }: Reader): Promise<Prisma.ExportTemplateWhereInput> {
  const offered = await scopeOfShared(db, { userId, role: 'user' }, 'all');
  return { OR: [{ forEverybody: true }, offered] };
}

/** Permissions by id. Templates without one are missing from the result. */
export async function templatePermissions(
  db: Db | Tx,
  reader: Reader,
  templates: readonly ExportTemplate[],
): Promise<Map<string, Permission>> {
  const permissions = await permissionsOnShared(db, reader, templates, async (ids, recipient) => {
    const shares = await db.exportTemplateShare.findMany({ where: { templateId: { in: ids }, ...recipient } });
    return shares.map(({ templateId: ownedId, permission }) => ({ ownedId, permission }));
  });
  for (const { id, forEverybody } of templates) if (forEverybody && !permissions.has(id)) permissions.set(id, 'viewer');
  return permissions;
}

/** The template, if the caller may perform the action. @throws AppError not_found, or forbidden for those who may use it. */
export async function usableTemplate(db: Db | Tx, caller: Reader, id: string, action: Action): Promise<UsableTemplate> {
  const template = await db.exportTemplate.findUnique({ where: { id } });
  const permission = template && (await templatePermissions(db, caller, [template])).get(id);
  if (!template || !permission) throw noSuchTemplate();
  if (!permits(permission, action)) throw templateNotAllowed(action);
  return { ...template, permission };
}

/** Like `usableTemplate`, locked: it and its shares change only under this lock. */
export async function lockedTemplate(tx: Tx, caller: Reader, id: string, action: Action): Promise<UsableTemplate> {
  await tx.$queryRaw`select 1 from export_template where uuid = ${id}::uuid for update`;
  return usableTemplate(tx, caller, id, action);
}

/** Requires the template's lock, which excludes concurrent shares. */
export async function setTemplateShare(
  tx: Tx,
  templateId: string,
  target: ShareTarget,
  change: { permission: SharePermission; sharedBy: string },
): Promise<ExportTemplateShare> {
  const found = await tx.exportTemplateShare.findFirst({ where: { templateId, ...target } });
  return found
    ? tx.exportTemplateShare.update({ where: { id: found.id }, data: change })
    : tx.exportTemplateShare.create({ data: { templateId, ...target, ...change } });
}

/** Removes all shares of templates with a group or user. */
export async function removeTemplateSharesWith(tx: Tx, target: ShareTarget): Promise<void> {
  await tx.exportTemplateShare.deleteMany({ where: target });
}

/** Erases a person's templates, and their id from the shares of others. @returns the number of erased templates. */
export async function eraseTemplatesOf(tx: Tx, userId: string): Promise<number> {
  const { count } = await tx.exportTemplate.deleteMany({ where: { userId } });
  await tx.$executeRaw`
    update export_template_share s set shared_by = t.user_id from export_template t
    where t.uuid = s.template_id and s.shared_by = ${userId}::uuid`;
  return count;
}
