import type { AuthSettings } from '@overtone/contracts';
import { createDatabase, createOutbox } from '@overtone/database';
import { createLog, createMetrics } from '@overtone/service-kit';
import { createDatabase as createTestDatabase, waitFor } from '@overtone/testkit';
import { cleanUpAfterFile } from '@overtone/testkit/cleanup';
import { PrismaClient } from '../src/generated/client.ts';
import type { User } from '../src/generated/client.ts';
import type { Mappings } from '../src/mappings/mappings.ts';
import type { Assertion } from '../src/provisioning/provisioning.ts';
import { createProvisioning } from '../src/provisioning/provisioning.service.ts';
import { effective } from '../src/settings/settings.ts';
import { createTelemetry } from '../src/telemetry.ts';
import { sessionsOver } from './real-sessions.ts';

const issuers = { ldap: null, oidc: 'https://idp.example.org', pki: 'cn=authority', proxy: null };
export const client = { ip: '127.0.0.1', userAgent: null, requestId: null };

/** A client that calls `onTransaction` at the start of every transaction. */
function counting(db: PrismaClient, onTransaction: () => void): PrismaClient {
  return new Proxy(db, {
    get: (target, key) => {
      if (key === '$transaction') onTransaction();
      return Reflect.get(target, key) as unknown;
    },
  });
}

/** Provisioning and sessions on a real database, without mappings. */
export async function startProvisioningWorld() {
  const database = await createTestDatabase();
  const log = createLog('identity', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'json' });
  const metrics = createMetrics();
  const { db, pool, part } = createDatabase(
    {
      env: { DATABASE_URL: database.urlFor('identity'), DB_POOL_SIZE: 10, DB_MAX_OVERFLOW: 40 },
      name: 'identity',
      metrics,
      log,
    },
    (options) => new PrismaClient(options),
  );
  cleanUpAfterFile(async () => {
    await part.stop();
    await database.drop();
  });
  let values: AuthSettings = effective(new Map(), {}).values;
  const mappings: Mappings = {
    reconcile: async (tx, { userId }) => {
      const { role } = await tx.user.findUniqueOrThrow({ where: { id: userId } });
      return { role: role as 'user', roleChanged: false, added: [], removed: [] };
    },
    isReconciled: () => true,
  };
  const settings = { current: () => values };
  const outbox = createOutbox('identity');
  const sessions = sessionsOver({ db, pool, outbox, settings });
  let transactions = 0;
  const provisioning = createProvisioning({
    db: counting(db, () => (transactions += 1)),
    pool,
    outbox,
    settings,
    mappings,
    sessions,
    telemetry: createTelemetry(metrics),
  });
  let count = 0;

  return {
    db,
    pool,
    provisioning,
    sessions,
    /** Number of transactions that provisioning has started. */
    transactions: () => transactions,
    /** Resolves once a connection waits for a lock. */
    waitsForLock: () =>
      waitFor(
        async () =>
          (
            await pool.query(
              "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
            )
          ).rowCount !== 0,
      ),
    set: (next: Partial<AuthSettings>) => void (values = { ...values, ...next }),
    address: () => `p${(count += 1)}@example.org`,
    user: (fields: Partial<User> = {}): Promise<User> =>
      db.user.create({ data: { email: `u${(count += 1)}@example.org`, ...fields } }),
    assertion: (changes: Partial<Assertion> & Pick<Assertion, 'source'>): Assertion => ({
      subject: { issuer: issuers[changes.source], id: `id-${(count += 1)}` },
      login: `login${(count += 1)}`,
      email: `a${(count += 1)}@example.org`,
      emailVerified: false,
      name: 'Some Body',
      claims: { known: true, values: [] },
      legacyAdmin: 'no',
      ...changes,
    }),
    liveSessions: (userId: string): Promise<number> => db.refreshToken.count({ where: { userId, revokedAt: null } }),
    audit: (username: string) => db.auditLog.findMany({ where: { username }, orderBy: { time: 'asc' } }),
    signups: async (): Promise<string> => metrics.registry.getSingleMetricAsString('user_signups_total'),
  };
}
