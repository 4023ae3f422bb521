import type { Client } from 'pg';
import { hasTable } from './client.ts';
import type { HasColumns } from './present.ts';

/** Memberships, shares and group mappings that were removed or limited since the backup stay so. @returns their numbers. */
export async function limitGroups(
  client: Client,
  has: HasColumns,
): Promise<{ memberships: number; shares: number; mappings: number }> {
  return {
    memberships: has('user_group_member', 'group_id', 'user_id', 'role') ? await limitMemberships(client) : 0,
    shares: has('file_share', 'media_file_id', 'group_id', 'user_id', 'permission') ? await limitShares(client) : 0,
    mappings: has('group_mapping', 'source', 'claim_value', 'group_id', 'grants_role')
      ? await limitMappings(client)
      : 0,
  };
}

async function limitMemberships(client: Client): Promise<number> {
  const same = 'p.group_id = m.group_id and p.user_id = m.user_id';
  const { rows: removed } = await client.query<{ user_id: string }>(
    `delete from user_group_member m where not exists (select 1 from present_user_group_member p where ${same})
     returning user_id`,
  );
  const { rowCount: lowered } = await client.query(
    `update user_group_member m set role = 'member' from present_user_group_member p
     where ${same} and p.role = 'member' and m.role <> 'member'`,
  );
  const users = [...new Set(removed.map(({ user_id }) => user_id))];
  await client.query('update "user" set membership_version = membership_version + 1 where uuid = any($1)', [users]);
  // The copies of other services follow here: an event of the backup may be published before they hear of this change.
  for (const copy of ['media_membership', 'search_membership'])
    if (await hasTable(client, copy))
      await client.query(
        `insert into ${copy} as c (user_id, group_ids, version)
         select uuid, array(select group_id from user_group_member m where m.user_id = u.uuid order by 1), membership_version
         from "user" u where uuid = any($1)
         on conflict (user_id) do update
           set group_ids = excluded.group_ids, version = greatest(c.version + 1, excluded.version)`,
        [users],
      );
  return removed.length + (lowered ?? 0);
}

async function limitShares(client: Client): Promise<number> {
  const same = `p.media_file_id = s.media_file_id and p.group_id is not distinct from s.group_id
    and p.user_id is not distinct from s.user_id`;
  const { rows: removed } = await client.query<{ media_file_id: string }>(
    `delete from file_share s where not exists (select 1 from present_file_share p where ${same})
     returning media_file_id`,
  );
  const { rowCount: lowered } = await client.query(
    `update file_share s set permission = 'viewer' from present_file_share p
     where ${same} and p.permission = 'viewer' and s.permission <> 'viewer'`,
  );
  const files = [...new Set(removed.map(({ media_file_id }) => media_file_id))];
  await client.query('update media_file set access_version = access_version + 1 where uuid = any($1)', [files]);
  if (await hasTable(client, 'search_file_access'))
    await client.query(
      `insert into search_file_access as c (file_id, group_ids, user_ids, version)
       select uuid,
         array(select s.group_id from file_share s where s.media_file_id = f.uuid and s.group_id is not null order by 1),
         array(select s.user_id from file_share s where s.media_file_id = f.uuid and s.user_id is not null order by 1),
         access_version
       from media_file f where uuid = any($1)
       on conflict (file_id) do update set group_ids = excluded.group_ids, user_ids = excluded.user_ids,
         version = greatest(c.version + 1, excluded.version)`,
      [files],
    );
  return removed.length + (lowered ?? 0);
}

/** A mapping that was removed since would give its group or role at the next sign-in. */
async function limitMappings(client: Client): Promise<number> {
  const { rowCount } = await client.query(
    `delete from group_mapping m where not exists (
       select 1 from present_group_mapping p where p.source = m.source and p.claim_value = m.claim_value
         and p.group_id is not distinct from m.group_id and p.grants_role is not distinct from m.grants_role)`,
  );
  return rowCount ?? 0;
}
