import { queryPrepared } from '@overtone/database';
import type { Db, Pool } from '../database.ts';
import { Prisma } from '../generated/client.ts';
import type { AccessScope, FileAccess, Membership, Searcher } from './access.ts';

/** The indexed files in the scope; a withheld one may contain text that is masked by now. */
export function readableFiles({ ownerId, sharedIds }: AccessScope): Prisma.Sql {
  const mine =
    ownerId === null
      ? Prisma.sql`true`
      : Prisma.sql`(owner_id = ${ownerId}::uuid or file_id = any(${[...sharedIds]}::uuid[]))`;
  return Prisma.sql`select * from index_state where indexed_at is not null and not withheld and ${mine}`;
}

/** Memberships and shares as reported by identity and media; older versions are ignored. */
export function createAccessStore({ db, pool }: { db: Db; pool: Pool }) {
  return {
    setMembership: async ({ userId, groupIds, version }: Membership): Promise<void> => {
      await db.$executeRaw`
      insert into search_membership (user_id, group_ids, version)
      values (${userId}::uuid, ${groupIds}::uuid[], ${version}::bigint)
      on conflict (user_id) do update set group_ids = excluded.group_ids, version = excluded.version
      where search_membership.version < excluded.version`;
    },
    setAccess: async ({ fileId, groupIds, userIds, version }: FileAccess): Promise<void> => {
      await db.$executeRaw`
      insert into search_file_access (file_id, group_ids, user_ids, version)
      values (${fileId}::uuid, ${groupIds}::uuid[], ${userIds}::uuid[], ${version}::int)
      on conflict (file_id) do update
        set group_ids = excluded.group_ids, user_ids = excluded.user_ids, version = excluded.version
      where search_file_access.version < excluded.version`;
    },
    /** The files that the searcher may find now. */
    scopeOf: async ({ userId, canSeeAll }: Searcher): Promise<AccessScope> => {
      if (canSeeAll) return { ownerId: null, sharedIds: [] };
      const text = `
        select file_id as id from search_file_access
        where user_ids @> array[$1::uuid]
           or group_ids && coalesce((select group_ids from search_membership where user_id = $1::uuid), '{}')`;
      const shared = await queryPrepared<{ id: string }>(pool, { name: 'access: shared', text, values: [userId] });
      return { ownerId: userId, sharedIds: shared.map(({ id }) => id) };
    },
  };
}
