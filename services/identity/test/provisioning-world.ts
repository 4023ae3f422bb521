import type { AuthSettings } from '@overtone/contracts';
import { createDatabase, createOutbox } from '@overtone/database';
import { createLog, createMetrics } from '@overtone/service-kit';
import { createDatabase as createTestDatabase } from '@overtone/testkit';
import { PrismaClient } from '../src/generated/client.ts';
import type { User } from '../src/generated/client.ts';
import type { Mappings } from '../src/mappings/mappings.ts';
import type { Assertion } from '../src/provisioning/provisioning.ts';
import { createProvisioning } from '../src/provisioning/provisioning.service.ts';
import { effective } from '../src/settings/settings.ts';
import { createTelemetry } from '../src/telemetry.ts';
import { sessionsOver } from './real-sessions.ts';

export const client = { ip: '127.0.0.1', userAgent: null, requestId: null };

/** Provisioning over a real database; of sessions only that they are opened and ended. */
export const startProvisioningWorld = async () => {
  const database = await createTestDatabase();
  const log = createLog('identity', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'json' });
  const metrics = createMetrics();
  const { db, pool, part } = createDatabase(
    {
      env: { DATABASE_URL: database.urlFor('identity'), DB_POOL_SIZE: 10, DB_MAX_OVERFLOW: 0 },
      name: 'identity',
      metrics,
      log,
    },
    (adapter) => new PrismaClient({ adapter }),
  );
  let values: AuthSettings = effective(new Map(), {}).values;
  const mappings: Mappings = {
    reconcile: async (tx, { userId }) => {
      const { role } = await tx.user.findUniqueOrThrow({ where: { id: userId } });
      return { role: role as 'user', roleChanged: false, added: [], removed: [] };
    },
    leavesAsIs: () => true,
  };
  const settings = { current: () => values };
  const outbox = createOutbox('identity');
  const provisioning = createProvisioning({
    db,
    pool,
    outbox,
    settings,
    mappings,
    sessions: sessionsOver({ db, pool, outbox, settings }),
    telemetry: createTelemetry(metrics),
  });
  let count = 0;

  return {
    db,
    provisioning,
    set: (next: Partial<AuthSettings>) => void (values = { ...values, ...next }),
    address: () => `p${(count += 1)}@example.org`,
    user: (fields: Partial<User> = {}): Promise<User> =>
      db.user.create({ data: { email: `u${(count += 1)}@example.org`, ...fields } }),
    assertion: (a: Partial<Assertion> & Pick<Assertion, 'source'>): Assertion => ({
      subject: { issuer: a.source === 'oidc' ? 'https://idp.example.org' : null, id: `id-${(count += 1)}` },
      login: `login${(count += 1)}`,
      email: `a${(count += 1)}@example.org`,
      emailVerified: false,
      name: 'Some Body',
      claims: { known: true, values: [] },
      legacyAdmin: 'no',
      ...a,
    }),
    liveSessions: (userId: string): Promise<number> => db.refreshToken.count({ where: { userId, revokedAt: null } }),
    audit: (username: string) => db.auditLog.findMany({ where: { username }, orderBy: { time: 'asc' } }),
    signups: async (): Promise<string> => metrics.registry.getSingleMetricAsString('user_signups_total'),
    stop: async () => {
      await part.stop();
      await database.drop();
    },
  };
};
export type ProvisioningWorld = Awaited<ReturnType<typeof startProvisioningWorld>>;
