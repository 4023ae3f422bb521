import { identityEvents } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { Log } from '@overtone/service-kit';
import type { PasswordHasher } from '@overtone/service-kit/argon2';
import { writeAudit } from '../audit/audit.ts';
import type { Db } from '../database.ts';
import { passwordFaults } from '../passwords/passwords.ts';
import type { Settings } from '../live-settings.ts';
import type { Telemetry } from '../telemetry.ts';
import { accountsStore } from './accounts.store.ts';

type Deps = { db: Db; outbox: Outbox; hasher: PasswordHasher; telemetry: Telemetry; log: Log; settings: Settings };

/** Creates the first super_admin exactly once, also when several replicas start concurrently. */
export async function createFirstAdmin(
  { db, outbox, hasher, telemetry, log, settings }: Deps,
  credentials: { email: string | undefined; password: string | undefined },
): Promise<void> {
  const { password } = credentials;
  const email = credentials.email?.trim();
  const passwordHash = email && password ? await hasher.hash(password) : undefined;
  const created = await db.$transaction(async (tx) => {
    await accountsStore.lockFirstAdmin(tx);
    if (await accountsStore.hasSuperAdmin(tx)) return undefined;
    if (!email || !passwordHash) {
      log.warn('first administrator not created: set OT_ADMIN_EMAIL and OT_ADMIN_PASSWORD and start again');
      return undefined;
    }
    const user = await accountsStore.create(tx, {
      email,
      fullName: 'Administrator',
      passwordHash,
      role: 'super_admin',
    });
    await outbox.add(tx, identityEvents.userCreated, { userId: user.id, role: 'super_admin', method: 'local' });
    await writeAudit(tx, {
      event: 'admin.user.create',
      outcome: 'success',
      actor: 'first_start',
      userId: user.id,
      username: email,
      client: { ip: null, userAgent: null, requestId: null },
      details: { role: 'super_admin' },
    });
    return user;
  });
  if (!created) return;
  telemetry.signups.inc({ method: 'local' });
  log.info({ user_id: created.id }, 'first administrator created');
  const faults = passwordFaults(password ?? '', created, settings.current());
  if (faults.length > 0) log.warn({ faults }, 'first administrator password is weak: change it after signing in');
}
