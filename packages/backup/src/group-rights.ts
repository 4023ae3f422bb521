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
    shares:
      (has('file_share', 'media_file_id', 'group_id', 'user_id', 'permission') ? await limitShares(client) : 0) +
      (has('collection_share', 'collection_id', 'group_id', 'user_id', 'permission') &&
      has('collection_member', 'collection_id', 'media_file_id', 'added_by')
        ? await limitCollections(client)
        : 0) +
      (has('code_list_share', 'code_list_id', 'group_id', 'user_id', 'permission') ? await limitCodeLists(client) : 0) +
      (has('export_template_share', 'template_id', 'group_id', 'user_id', 'permission') &&
      has('export_template', 'uuid', 'for_everybody')
        ? await limitExportTemplates(client)
        : 0),
    mappings: has('group_mapping', 'source', 'claim_value', 'group_id', 'grants_role')
      ? await limitMappings(client)
      : 0,
  };
}

/** The rights that {@link limitGroups} would remove or limit, one line each, for a person who decides to keep them. */
export async function listEndedRights(client: Client, has: HasColumns): Promise<string[]> {
  const recipient = `coalesce('the group ' || g.name, 'the account ' || u.email, 'somebody')`;
  const people = `left join user_group g on g.uuid = r.group_id left join "user" u on u.uuid = r.user_id`;
  const queries = [
    has('user_group_member', 'group_id', 'user_id', 'role') &&
      `select format('membership: %s in %s (%s)', u.email, g.name, r.role)
       from (select group_id, user_id, role from user_group_member except
             select group_id, user_id, role from present_user_group_member) r ${people}`,
    has('file_share', 'media_file_id', 'group_id', 'user_id', 'permission') &&
      `select format('share: "%s" with %s (%s)', f.title, ${recipient}, r.permission)
       from (select media_file_id, group_id, user_id, permission from file_share except
             select media_file_id, group_id, user_id, permission from present_file_share) r
       join media_file f on f.uuid = r.media_file_id ${people}`,
    has('collection_share', 'collection_id', 'group_id', 'user_id', 'permission') &&
      `select format('share: the collection "%s" with %s (%s)', c.name, ${recipient}, r.permission)
       from (select collection_id, group_id, user_id, permission from collection_share except
             select collection_id, group_id, user_id, permission from present_collection_share) r
       join collection c on c.uuid = r.collection_id ${people}`,
    has('code_list_share', 'code_list_id', 'group_id', 'user_id', 'permission') &&
      `select format('share: the list of codes "%s" with %s (%s)', c.name, ${recipient}, r.permission)
       from (select code_list_id, group_id, user_id, permission from code_list_share except
             select code_list_id, group_id, user_id, permission from present_code_list_share) r
       join code_list c on c.uuid = r.code_list_id ${people}`,
    has('export_template_share', 'template_id', 'group_id', 'user_id', 'permission') &&
      `select format('share: the export template "%s" with %s (%s)', c.name, ${recipient}, r.permission)
       from (select template_id, group_id, user_id, permission from export_template_share except
             select template_id, group_id, user_id, permission from present_export_template_share) r
       join export_template c on c.uuid = r.template_id ${people}`,
    has('export_template', 'uuid', 'for_everybody') &&
      `select format('share: the export template "%s" with everybody', t.name)
       from export_template t where t.for_everybody and not exists (
         select 1 from present_export_template p where p.uuid = t.uuid and p.for_everybody)`,
    has('group_mapping', 'source', 'claim_value', 'group_id', 'grants_role') &&
      `select format('group mapping: %s %s gives %s', r.source, r.claim_value,
         concat_ws(' and ', 'the group ' || g.name, 'the role ' || r.grants_role))
       from (select source, claim_value, group_id, grants_role from group_mapping except
             select source, claim_value, group_id, grants_role from present_group_mapping) r
       left join user_group g on g.uuid = r.group_id`,
  ].filter((query) => query !== false);
  if (queries.length === 0) return [];
  const { rows } = await client.query<{ line: string }>(
    `select line from (${queries.join(' union all ')}) l (line) order by 1`,
  );
  return rows.map(({ line }) => line);
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
  await copyAccess(client, [...new Set(removed.map(({ media_file_id }) => media_file_id))]);
  return removed.length + (lowered ?? 0);
}

/** A file that left a collection since the backup stays in it, but is not given to others until its owner adds it again. */
async function limitCollections(client: Client): Promise<number> {
  const same = `p.collection_id = s.collection_id and p.group_id is not distinct from s.group_id
    and p.user_id is not distinct from s.user_id`;
  const { rows: removed } = await client.query<{ collection_id: string }>(
    `delete from collection_share s where not exists (select 1 from present_collection_share p where ${same})
     returning collection_id`,
  );
  const { rowCount: lowered } = await client.query(
    `update collection_share s set permission = 'viewer' from present_collection_share p
     where ${same} and p.permission = 'viewer' and s.permission <> 'viewer'`,
  );
  const { rows: left } = await client.query<{ media_file_id: string }>(
    `update collection_member m set added_by = null where added_by is not null and not exists (
       select 1 from present_collection_member p
       where p.collection_id = m.collection_id and p.media_file_id = m.media_file_id and p.added_by = m.added_by)
     returning media_file_id`,
  );
  const { rows: given } = await client.query<{ media_file_id: string }>(
    'select distinct media_file_id from collection_member where collection_id = any($1)',
    [[...new Set(removed.map(({ collection_id }) => collection_id))]],
  );
  await copyAccess(client, [...new Set([...left, ...given].map(({ media_file_id }) => media_file_id))]);
  return removed.length + (lowered ?? 0);
}

/** A list of codes gives no files to others. */
async function limitCodeLists(client: Client): Promise<number> {
  const same = `p.code_list_id = s.code_list_id and p.group_id is not distinct from s.group_id
    and p.user_id is not distinct from s.user_id`;
  const { rowCount: removed } = await client.query(
    `delete from code_list_share s where not exists (select 1 from present_code_list_share p where ${same})`,
  );
  const { rowCount: lowered } = await client.query(
    `update code_list_share s set permission = 'viewer' from present_code_list_share p
     where ${same} and p.permission = 'viewer' and s.permission <> 'viewer'`,
  );
  return (removed ?? 0) + (lowered ?? 0);
}

async function limitExportTemplates(client: Client): Promise<number> {
  const same = `p.template_id = s.template_id and p.group_id is not distinct from s.group_id
    and p.user_id is not distinct from s.user_id`;
  const { rowCount: removed } = await client.query(
    `delete from export_template_share s where not exists (select 1 from present_export_template_share p where ${same})`,
  );
  const { rowCount: lowered } = await client.query(
    `update export_template_share s set permission = 'viewer' from present_export_template_share p
     where ${same} and p.permission = 'viewer' and s.permission <> 'viewer'`,
  );
  const { rowCount: withdrawn } = await client.query(
    `update export_template t set for_everybody = false where t.for_everybody and not exists (
       select 1 from present_export_template p where p.uuid = t.uuid and p.for_everybody)`,
  );
  return (removed ?? 0) + (lowered ?? 0) + (withdrawn ?? 0);
}

/** Copies who may see the files to search, under the next version of their access lists. */
async function copyAccess(client: Client, files: string[]): Promise<void> {
  await client.query('update media_file set access_version = access_version + 1 where uuid = any($1)', [files]);
  if (!(await hasTable(client, 'search_file_access'))) return;
  // A backup of an older version has no collections.
  const grants = (await hasTable(client, 'file_grant')) ? 'file_grant' : 'file_share';
  await client.query(
    `insert into search_file_access as c (file_id, group_ids, user_ids, version)
     select uuid,
       array(select distinct g.group_id from ${grants} g where g.media_file_id = f.uuid and g.group_id is not null order by 1),
       array(select distinct g.user_id from ${grants} g where g.media_file_id = f.uuid and g.user_id is not null order by 1),
       access_version
     from media_file f where uuid = any($1)
     on conflict (file_id) do update set group_ids = excluded.group_ids, user_ids = excluded.user_ids,
       version = greatest(c.version + 1, excluded.version)`,
    [files],
  );
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
