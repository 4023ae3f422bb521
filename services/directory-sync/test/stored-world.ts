import { createDatabase as connectDatabase, createOutbox } from '@overtone/database';
import { createBus, createLog, createMetrics } from '@overtone/service-kit';
import { startIdentity } from '@overtone/testkit/product';
import { connect } from 'nats';
import { Client } from 'pg';
import { z } from 'zod';
import { directorySyncEnv } from '../src/env.ts';
import { PrismaClient } from '../src/generated/client.ts';
import type { Account } from '../src/plan/plan.ts';
import type { TakeSnapshot } from '../src/snapshot/snapshot.ts';
import { createTelemetry } from '../src/telemetry.ts';
import { createSyncRuns } from '../src/runs/runs.ts';

const log = createLog('directory-sync', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'json' });

/** Rows in the database before a sync run, in addition to those that identity creates. */
export type Stored = {
  accounts: readonly Account[];
  groups: readonly { id: string; name: string }[];
  mappings: readonly { claim: string; groupId: string | null; role: 'user' | 'admin' | null }[];
  /** Whether a mapping has ever existed: deleting the last mapping removes the memberships that it granted. */
  mappedOnce: boolean;
  /** Number of open sessions by account. */
  sessions: Readonly<Record<string, number>>;
  settings: Readonly<Record<string, unknown>>;
  /** Age of the last successful sync run; null: none. */
  goodDaysAgo: number | null;
};

const insertSql = `
  with given as (select $1::jsonb as g),
  people as (
    insert into "user" (uuid, email, role, auth_type, is_active, ldap_uid, directory_id, disabled_by)
    select "userId", email, role, "authType", active, login, "directoryId", "disabledBy"
    from given, jsonb_to_recordset(g -> 'accounts')
      as a("userId" uuid, email text, role text, "authType" text, active boolean, login text, "directoryId" text,
           "disabledBy" text)
    returning uuid),
  groups as (
    insert into user_group (uuid, name)
    select id, name from given, jsonb_to_recordset(g -> 'groups') as t(id uuid, name text) returning uuid),
  members as (
    insert into user_group_member (group_id, user_id, source)
    select x.id, a."userId", x.source
    from given, jsonb_to_recordset(g -> 'accounts') as a("userId" uuid, "fromDirectory" uuid[], "byHand" uuid[]),
      lateral (select unnest(a."fromDirectory") as id, 'ldap' as source
               union all select unnest(a."byHand"), 'manual') x),
  mappings as (
    insert into group_mapping (source, claim_value, group_id, grants_role)
    select 'ldap', claim, "groupId", role
    from given, jsonb_to_recordset(g -> 'mappings') as m(claim text, "groupId" uuid, role text)),
  sessions as (
    insert into refresh_token (session_id, user_id, token_hash, expires_at, absolute_expires_at)
    select gen_random_uuid(), s.key::uuid, gen_random_uuid()::text, now() + interval '1 day', now() + interval '1 day'
    from given, jsonb_each_text(g -> 'sessions') s, generate_series(1, s.value::int)),
  passes as (
    insert into directory_pass (uuid, status, trigger, dry_run, started_at, finished_at)
    select gen_random_uuid(), 'ok', 'schedule', false, at, at
    from given, lateral (select now() - make_interval(days => (g ->> 'goodDaysAgo')::int) as at) t
    where g ->> 'goodDaysAgo' is not null)
  insert into system_settings (key, value)
  select 'directory_sync.' || s.key, s.value from given, jsonb_each(g -> 'settings') s`;

const clearSql = `
  delete from directory_pass; delete from system_settings where key like 'directory\\_sync.%';
  delete from group_mapping; delete from group_mapping_version; delete from user_group;
  delete from "user" where auth_type = 'ldap' or ldap_uid is not null;
  delete from audit_log; delete from identity_outbox`;

/** Tables of the reports and of the lease; a dry run writes to them. */
const runTables = ['directory_pass', 'directory_decision', 'directory_lease'];
/** Tables that a real sync run may write to in addition. */
const accountTables = ['user', 'user_group_member', 'refresh_token', 'audit_log', 'identity_outbox'];

export type Row = {
  id: string;
  active: boolean;
  disabledBy: string | null;
  role: string;
  directoryId: string | null;
  /** `name source role` of the groups it is in. */
  groups: string[];
  sessions: number;
  /** Number of its audit records. */
  audited: number;
  /** Every other column. */
  rest: string;
};
const accountsSql = `
  select uuid as id, is_active as active, disabled_by as "disabledBy", role, directory_id as "directoryId",
    coalesce((select array_agg(g.name || ' ' || m.source || ' ' || m.role order by g.name)
              from user_group_member m join user_group g on g.uuid = m.group_id where m.user_id = u.uuid), '{}') as groups,
    (select count(*)::int from refresh_token t where t.user_id = u.uuid and t.revoked_at is null) as sessions,
    (select count(*)::int from audit_log a where a.user_id = u.uuid) as audited,
    md5((to_jsonb(u) - '{is_active,disabled_by,disabled_at,role,directory_id,membership_version,updated_at}'::text[])::text)
      as rest
  from "user" u order by uuid`;

/**
 * Starts a real identity service as its own process with its database. Sync runs run in this process, with the same
 * database and a real broker. The directory is the one in the settings.
 */
export async function startStoredWorlds(ldap: Record<string, string>) {
  const product = await startIdentity({ LDAP_ENABLED: 'true', ...ldap });
  const { database } = product;
  const nats = await connect({ servers: product.nats.url });
  await (await nats.jetstreamManager()).streams.add({ name: 'EVENTS', subjects: ['evt.>'] });
  const sql = new Client({ connectionString: database.url });
  await sql.connect();
  const env = z.object(directorySyncEnv).parse({
    API_PORT: 0,
    INTERNAL_PORT: 0,
    NATS_URL: product.nats.url,
    DATABASE_URL: database.urlFor('directory_sync'),
    ASSERTION_PUBLIC_KEY: 'none',
  });
  const { db, part } = connectDatabase(
    { env, name: 'directory-sync', metrics: createMetrics(), log },
    (options) => new PrismaClient(options),
  );
  const bus = createBus({ service: 'directory-sync', url: product.nats.url, log });
  await bus.connect();
  const telemetry = createTelemetry(createMetrics(), () => Promise.resolve([]));

  const { rows: tables } = await sql.query<{ name: string }>(
    `select table_name as name from information_schema.tables
     where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
  );
  const hashSql = tables
    .filter(({ name }) => !runTables.includes(name))
    .map(
      ({ name }) => `select '${name}' as name, md5(coalesce(string_agg(row, '|' order by row), '')) as hash
        from (select t.*::text || ' ' || t.xmin as row from public."${name}" t
              ${name === 'system_settings' ? `where key <> 'directory_sync.last_result'` : ''}) r`,
    )
    .join(' union all ');

  return {
    runs: (takeSnapshot: TakeSnapshot) =>
      createSyncRuns({ db, outbox: createOutbox('directory-sync'), bus, takeSnapshot, telemetry, log, holder: 'test' }),
    hold: async (world: Stored): Promise<void> => {
      await sql.query(clearSql);
      await sql.query(insertSql, [JSON.stringify(world)]);
      if (!world.mappedOnce) await sql.query('delete from group_mapping_version');
    },
    /** One hash for each table except those of the reports, over its rows and the transactions that wrote them. */
    hashes: async (): Promise<Record<string, string>> => {
      const { rows } = await sql.query<{ name: string; hash: string }>(hashSql);
      return Object.fromEntries(rows.map(({ name, hash }) => [name, hash]));
    },
    accounts: async (): Promise<Row[]> => (await sql.query<Row>(accountsSql)).rows,
    stop: async () => {
      await bus.close();
      await part.stop();
      await sql.end();
      await nats.close();
      await product.stop();
    },
  };
}

/** The hashes without the tables that a real sync run may write to. */
export function withoutAccountTables(hashes: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(hashes).filter(([name]) => !accountTables.includes(name)));
}
