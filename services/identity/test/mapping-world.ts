import { createDatabase, createOutbox } from '@overtone/database';
import { identityEvents, type MappingSource } from '@overtone/contracts';
import { createLog, createMetrics } from '@overtone/service-kit';
import { createDatabase as createTestDatabase, waitFor } from '@overtone/testkit';
import { cleanUpAfterFile } from '@overtone/testkit/cleanup';
import type { Tx } from '../src/database.ts';
import { PrismaClient } from '../src/generated/client.ts';
import { createMemberships } from '../src/groups/memberships.service.ts';
import { createMappingIndexes, createMappings } from '../src/mappings/mappings.service.ts';
import type { ReconcileRequest, ReconcileResult } from '../src/mappings/mappings.ts';
import { sessionsStore } from '../src/sessions/sessions.store.ts';

const log = createLog('identity', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'json' });
const outbox = createOutbox('identity');
const client = { ip: null, userAgent: null, requestId: null };

type PublishedEvent = { subject: string; data: Record<string, unknown> };
export type NewUser = { role?: string; auth_type?: string; is_active?: boolean };

/** A replica with its own connections and mapping cache on the database of the test. */
function createReplica(url: string) {
  const env = { DATABASE_URL: url, DB_POOL_SIZE: 10, DB_MAX_OVERFLOW: 40 };
  const { db, pool, part } = createDatabase(
    { env, name: 'identity', metrics: createMetrics(), log },
    (options) => new PrismaClient(options),
  );
  const indexes = createMappingIndexes();
  const mappings = createMappings({
    outbox,
    indexes,
    memberships: createMemberships({ outbox }),
    sessions: { endAll },
  });
  return { db, pool, part, indexes, mappings };
}

/** A minimal `Sessions.endAll`, without tokens and limits. */
async function endAll(tx: Tx, userId: string, reason: string): Promise<number> {
  const ended = await sessionsStore.revoke(tx, { userId });
  if (ended.length > 0) await outbox.add(tx, identityEvents.sessionRevoked, { userId, sessionId: null, reason });
  return ended.length;
}

/** Accounts, groups and mappings in a real database, with two replicas that reconcile them. */
export async function startMappingWorld() {
  const database = await createTestDatabase();
  const replicas = [createReplica(database.urlFor('identity')), createReplica(database.urlFor('identity'))] as const;
  cleanUpAfterFile(async () => {
    for (const { part } of replicas) await part.stop();
    await database.drop();
  });
  const [{ db, pool }] = replicas;
  const id = async (sql: string, values: unknown[]): Promise<string> =>
    (await pool.query<{ uuid: string }>(`${sql} returning uuid`, values)).rows[0]?.uuid ?? '';
  let count = 0;

  const pass = (
    userId: string,
    changes: Partial<ReconcileRequest> = {},
    replica: 0 | 1 = 0,
  ): Promise<ReconcileResult> =>
    replicas[replica].db.$transaction((tx) =>
      replicas[replica].mappings.reconcile(tx, {
        userId,
        source: 'ldap',
        claims: { known: true, values: [] },
        legacyAdmin: 'no',
        actor: 'idp_login',
        client,
        ...changes,
      }),
    );

  return {
    db,
    pool,
    replicas,
    pass,
    /** A sign-in through the directory with these groups. */
    signIn: (userId: string, values: string[], changes: Partial<ReconcileRequest> = {}) =>
      pass(userId, { claims: { known: true, values }, ...changes }),
    user: ({ role = 'user', auth_type = 'ldap', is_active = true }: NewUser = {}) =>
      id('insert into "user" (email, role, auth_type, is_active) values ($1, $2, $3, $4)', [
        `u${(count += 1)}@example.org`,
        role,
        auth_type,
        is_active,
      ]),
    group: () => id('insert into user_group (name) values ($1)', [`group ${(count += 1)}`]),
    map: (claim: string, to: { group?: string; role?: 'user' | 'admin'; source?: MappingSource }): Promise<string> =>
      id('insert into group_mapping (source, claim_value, group_id, grants_role) values ($1, $2, $3, $4)', [
        to.source ?? 'ldap',
        claim,
        to.group ?? null,
        to.role ?? null,
      ]),
    /** Waits until a statement waits for a lock of another transaction. */
    waitForLock: () =>
      waitFor(async () => {
        const blocked = await pool.query(
          "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        return blocked.rows.length > 0;
      }),
    unmap: (mapping: string) => pool.query('delete from group_mapping where uuid = $1', [mapping]),
    join: (groupId: string, userId: string, source: string, role = 'member') =>
      pool.query('insert into user_group_member (group_id, user_id, source, role) values ($1, $2, $3, $4)', [
        groupId,
        userId,
        source,
        role,
      ]),
    /** `group: source` of a user's memberships. */
    groupsOf: async (userId: string): Promise<Record<string, string>> => {
      const { rows } = await pool.query<{ group_id: string; source: string }>(
        'select group_id, source from user_group_member where user_id = $1',
        [userId],
      );
      return Object.fromEntries(rows.map((row) => [row.group_id, row.source]));
    },
    roleOf: async (userId: string): Promise<string> =>
      (await db.user.findUniqueOrThrow({ where: { id: userId }, select: { role: true } })).role,
    versionOf: async (userId: string): Promise<number> =>
      (await db.user.findUniqueOrThrow({ where: { id: userId }, select: { membershipVersion: true } }))
        .membershipVersion,
    openSession: (userId: string) =>
      id(
        `insert into refresh_token (session_id, user_id, token_hash, expires_at, absolute_expires_at)
         values (gen_random_uuid(), $1, gen_random_uuid()::text, now() + interval '1 day', now() + interval '1 day')`,
        [userId],
      ),
    liveSessions: async (userId: string): Promise<number> =>
      db.refreshToken.count({ where: { userId, revokedAt: null } }),
    audit: async (userId: string) => db.auditLog.findMany({ where: { userId }, orderBy: { time: 'asc' } }),
    publishedEvents: async (userId: string): Promise<PublishedEvent[]> =>
      (
        await pool.query<PublishedEvent>(
          `select subject, data from identity_outbox where data ->> 'userId' = $1 order by id`,
          [userId],
        )
      ).rows,
  };
}
