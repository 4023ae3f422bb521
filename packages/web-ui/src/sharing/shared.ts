import { t } from '@lingui/core/macro';
import { call } from '../api/client.ts';
import type { Permission, ShareFields } from './share-form.tsx';

/** A person or group that may see something. */
export type Share = {
  readonly uuid: string;
  readonly kind: ShareFields['kind'];
  readonly targetId: string;
  /** null for a group, and while the name is unknown. */
  readonly name: string | null;
  readonly permission: Permission;
};
/** What is shared, and how its shares are read and changed. */
export type Shared = {
  readonly title: string;
  /** What others see of it. */
  readonly note?: string;
  /** Shown while it is not shared. */
  readonly unshared: string;
  readonly failure: string;
  /** Whether people can be allowed to edit it. */
  readonly editable: boolean;
  /** Of the query of its shares: `shares`, the query key of what has them, and its id. */
  readonly key: readonly ['shares', string, string];
  readonly list: (signal: AbortSignal) => Promise<readonly Share[]>;
  /** Adds a share, or changes its permission. */
  readonly set: (share: Pick<Share, 'kind' | 'targetId' | 'permission'>) => Promise<unknown>;
  readonly remove: (shareId: string) => Promise<unknown>;
};
type Named = { readonly uuid: string; readonly name: string };

export function sharedFile({ uuid, title }: { readonly uuid: string; readonly title: string }): Shared {
  return {
    title: t`Share “${title}”`,
    unshared: t`Only you and administrators can see this.`,
    failure: t`The recording wasn’t shared`,
    editable: true,
    ...userShares('files', uuid),
  };
}

export function sharedCollection({ uuid, name }: Named): Shared {
  return {
    title: t`Share “${name}”`,
    unshared: t`Only you and administrators can see this collection. Sharing it also shares your recordings in it, including those you add later.`,
    failure: t`The collection wasn’t shared`,
    editable: true,
    ...targetShares('collections', uuid),
  };
}

export function sharedCodeList({ uuid, name }: Named): Shared {
  return {
    title: t`Share “${name}”`,
    unshared: t`Only you and administrators can see this list. Sharing it shows no recordings: people see its codes on those that they may read.`,
    failure: t`The list wasn’t shared`,
    editable: true,
    ...targetShares('code-lists', uuid),
  };
}

export function sharedTemplate({ uuid, name }: Named): Shared {
  return {
    title: t`Share “${name}”`,
    unshared: t`Only you and administrators can see this template.`,
    failure: t`The template wasn’t shared`,
    editable: true,
    ...targetShares('export-templates', uuid),
  };
}

export function sharedConversation(uuid: string): Shared {
  return {
    title: t`Share the conversation`,
    note: t`Others can read the questions. Of the answers they see what rests on recordings that they may read themselves.`,
    unshared: t`Only you can see this conversation.`,
    failure: t`The conversation wasn’t shared`,
    editable: false,
    ...userShares('ask/conversations', uuid),
  };
}

type Routes = Pick<Shared, 'key' | 'list' | 'set' | 'remove'>;

type UserShare = Pick<Share, 'uuid'> & {
  readonly user_uuid: string | null;
  readonly user_name: string | null;
  readonly group_uuid: string | null;
  readonly permission?: Permission;
};

/** Shares with `user_uuid` or `group_uuid`. */
function userShares(kind: 'files' | 'ask/conversations', uuid: string): Routes {
  const params = { uuid };
  return {
    key: ['shares', kind, uuid],
    list: async (signal) => {
      const shares: readonly UserShare[] = await call(`GET /api/${kind}/{uuid}/shares`, { params, signal });
      return shares.map((share) => ({
        uuid: share.uuid,
        kind: share.user_uuid === null ? 'group' : 'person',
        targetId: share.user_uuid ?? share.group_uuid ?? '',
        name: share.user_name,
        permission: share.permission ?? 'viewer',
      }));
    },
    set: ({ kind: target, targetId, permission }) => {
      const body = target === 'person' ? { user_uuid: targetId } : { group_uuid: targetId };
      return kind === 'files'
        ? call('PUT /api/files/{uuid}/shares', { params, body: { permission, ...body } })
        : call('PUT /api/ask/conversations/{uuid}/shares', { params, body });
    },
    remove: (shareId) =>
      call(`DELETE /api/${kind}/{uuid}/shares/{share_uuid}`, { params: { uuid, share_uuid: shareId } }),
  };
}

/** Shares with `target_type` and `target_uuid`. */
function targetShares(kind: 'collections' | 'code-lists' | 'export-templates', uuid: string): Routes {
  const params = { uuid };
  return {
    key: ['shares', kind, uuid],
    list: async (signal) =>
      (await call(`GET /api/${kind}/{uuid}/shares`, { params, signal })).map((share) => ({
        uuid: share.uuid,
        kind: share.target_type === 'group' ? 'group' : 'person',
        targetId: share.target_uuid,
        name: share.target_name,
        permission: share.permission,
      })),
    set: ({ kind: target, targetId, permission }) =>
      call(`POST /api/${kind}/{uuid}/shares`, {
        params,
        body: { target_type: target === 'group' ? 'group' : 'user', target_uuid: targetId, permission },
      }),
    remove: (shareId) =>
      call(`DELETE /api/${kind}/{uuid}/shares/{share_uuid}`, { params: { uuid, share_uuid: shareId } }),
  };
}
