import type { MappingRule } from '@overtone/directory';
import type { MappingSource, Role } from '@overtone/contracts';
import type { Db, Tx } from '../database.ts';
import type { MappingRow } from './mappings.ts';

export type MappingFields = {
  claimValue: string;
  groupId: string | null;
  grantsRole: string | null;
  description: string | null;
};
type Versioned = { version: string | null; rules: MappingRule[] };

export const mappingsStore = {
  /** Version of the mappings of a source; null: it never had one. */
  version: async (db: Db | Tx, source: MappingSource): Promise<string | null> => {
    const rows = await db.$queryRaw<{ version: string }[]>`
      select version from group_mapping_version where source = ${source}`;
    return rows[0]?.version ?? null;
  },
  /** The mappings of a source and their version, read by one statement so that they belong together. */
  rules: async (db: Db | Tx, source: MappingSource): Promise<Versioned> => {
    const rows = await db.$queryRaw<Versioned[]>`
      select (select version from group_mapping_version where source = ${source}) as version,
             coalesce((select json_agg(json_build_object('claimValue', claim_value, 'groupId', group_id, 'grantsRole', grants_role))
                       from group_mapping where source = ${source}), '[]') as rules`;
    return rows[0] as Versioned;
  },

  list: (db: Db | Tx, only: { source?: string | undefined; id?: string }): Promise<MappingRow[]> => db.$queryRaw<
    MappingRow[]
  >`
    select m.uuid as id, m.source, m.claim_value as "claimValue", m.group_id as "groupId", g.name as "groupName",
           m.grants_role as "grantsRole", m.description, m.created_at as "createdAt", m.updated_at as "updatedAt",
           (select count(*)::int from user_group_member x where x.group_id = m.group_id and x.source = m.source) as "memberCount"
    from group_mapping m left join user_group g on g.uuid = m.group_id
    where (${only.source ?? null}::text is null or m.source = ${only.source ?? null})
      and (${only.id ?? null}::uuid is null or m.uuid = ${only.id ?? null}::uuid)
    order by m.source, m.created_at, m.uuid`,
  claimsOf: (db: Db | Tx, source: string): Promise<{ id: string; source: string; claimValue: string }[]> =>
    db.groupMapping.findMany({ where: { source }, select: { id: true, source: true, claimValue: true } }),

  /** Serializes changes of mappings; must be the first lock of a transaction. */
  lock: async (tx: Tx): Promise<void> =>
    void (await tx.$executeRaw`lock table group_mapping in share row exclusive mode`),
  find: (tx: Tx, id: string) => tx.groupMapping.findUnique({ where: { id } }),
  /** Locks a group against deletion. @returns false when it does not exist. */
  lockGroupShared: async (tx: Tx, id: string): Promise<boolean> =>
    (await tx.$queryRaw<unknown[]>`select 1 from user_group where uuid = ${id}::uuid for key share`).length > 0,
  create: async (tx: Tx, mapping: MappingFields & { source: string; createdBy: string }): Promise<string> =>
    (await tx.groupMapping.create({ data: mapping, select: { id: true } })).id,
  update: async (tx: Tx, id: string, fields: MappingFields): Promise<void> =>
    void (await tx.groupMapping.update({ where: { id }, data: fields })),
  delete: async (tx: Tx, id: string): Promise<void> => void (await tx.groupMapping.delete({ where: { id } })),
  groupNames: (db: Db, ids: readonly string[]): Promise<{ id: string; name: string }[]> =>
    db.userGroup.findMany({
      where: { id: { in: [...ids] } },
      select: { id: true, name: true },
      orderBy: { name: 'asc' },
    }),
};

type Account = {
  email: string;
  role: Role;
  authType: 'local' | 'ldap' | 'oidc' | 'pki' | 'proxy';
  isActive: boolean;
};

export const reconciliationStore = {
  /** The current account, locked until the transaction ends: this serializes the sign-ins of a person and the sweep. */
  lockAccount: async (tx: Tx, userId: string): Promise<Account | undefined> => {
    const rows = await tx.$queryRaw<Account[]>`
      select email, role, auth_type as "authType", is_active as "isActive" from "user"
      where uuid = ${userId}::uuid for update`;
    return rows[0];
  },
  setRole: async (tx: Tx, id: string, role: Role): Promise<void> =>
    void (await tx.user.update({ where: { id }, data: { role }, select: { id: true } })),
};
