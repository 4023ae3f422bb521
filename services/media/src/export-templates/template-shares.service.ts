import type { BodyOf, mediaRoutes } from '@overtone/contracts';
import { notFound, type Caller } from '@overtone/service-kit';
import { recordOperation, type Actor } from '../audit/audit.ts';
import { toCollectionShareObject, type CollectionShareObject } from '../collections/collections.ts';
import type { Tx } from '../database.ts';
import type { ExportTemplate, ExportTemplateShare } from '../generated/client.ts';
import { checkShareTarget, unknownTarget } from '../sharing/sharing.store.ts';
import type { TemplatesDeps } from './export-templates.service.ts';
import { lockedTemplate, setTemplateShare, usableTemplate } from './export-templates.store.ts';

type ShareRequest = BodyOf<typeof mediaRoutes.shareExportTemplate>;
const paths = { user: 'target_uuid', group: 'target_uuid' };

/** Shares templates with groups and users, as viewers or editors, by the rules of collections. */
export function createTemplateShares({ db, outbox, people }: TemplatesDeps) {
  const audit = (
    tx: Tx,
    actor: Actor,
    action: 'export_template_shared' | 'export_template_unshared',
    { template: { id, name, userId: owner }, share }: { template: ExportTemplate; share: ExportTemplateShare },
  ) => {
    const { userId, groupId, permission } = share;
    const target = userId ? { user: userId } : { group: groupId ?? '' };
    return recordOperation(tx, outbox, actor, action, { template: id, name, owner, ...target, permission });
  };

  return {
    list: async (caller: Caller, id: string): Promise<CollectionShareObject[]> => {
      await usableTemplate(db, caller, id, 'own');
      const shares = await db.exportTemplateShare.findMany({
        where: { templateId: id },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      });
      const names = await people.names(shares.flatMap(({ userId }) => userId ?? []));
      return shares.map((share) => toCollectionShareObject(share, names));
    },

    share: async (actor: Actor, id: string, request: ShareRequest): Promise<CollectionShareObject> => {
      await usableTemplate(db, actor, id, 'own');
      const { target_type: type, target_uuid: targetId, permission } = request;
      const target = type === 'user' ? { userId: targetId } : { groupId: targetId };
      await checkShareTarget({ db, people }, actor, { target, paths });
      const names = await people.names('userId' in target ? [target.userId] : []);
      return db.$transaction(async (tx) => {
        const template = await lockedTemplate(tx, actor, id, 'own');
        if ('userId' in target && target.userId === template.userId)
          throw unknownTarget('target_uuid', 'owns the template already');
        const share = await setTemplateShare(tx, id, target, { permission, sharedBy: actor.userId });
        await audit(tx, actor, 'export_template_shared', { template, share });
        return toCollectionShareObject(share, names);
      });
    },

    unshare: (actor: Actor, id: string, shareId: string): Promise<undefined> =>
      db.$transaction(async (tx) => {
        const template = await lockedTemplate(tx, actor, id, 'own');
        const share = await tx.exportTemplateShare.findFirst({ where: { id: shareId, templateId: id } });
        if (!share) throw notFound('The export template is not shared like this.');
        await tx.exportTemplateShare.delete({ where: { id: shareId } });
        await audit(tx, actor, 'export_template_unshared', { template, share });
        return undefined;
      }),
  };
}
