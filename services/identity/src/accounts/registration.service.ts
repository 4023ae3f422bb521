import { identityEvents } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { forbidden, type Client } from '@overtone/service-kit';
import { writeAudit } from '../audit/audit.ts';
import type { Db } from '../database.ts';
import type { NewPasswords } from '../passwords/passwords.ts';
import { firstStatus } from '../provisioning/provisioning.ts';
import type { Settings } from '../live-settings.ts';
import type { Telemetry } from '../telemetry.ts';
import { accountsStore } from './accounts.store.ts';

type Deps = { db: Db; outbox: Outbox; newPasswords: NewPasswords; settings: Settings; telemetry: Telemetry };
type Applicant = { email: string; password: string; fullName: string | undefined };
export type Registration = { register: (applicant: Applicant, client: Client) => Promise<void> };

/**
 * Registers accounts. The response does not reveal which accounts exist: an address that is taken gets
 * the same response as a free one, after the same work.
 */
export function createRegistration({ db, outbox, newPasswords, settings, telemetry }: Deps): Registration {
  return {
    register: async ({ email, password, fullName }, client) => {
      const { allow_registration, local_enabled } = settings.current();
      if (!allow_registration || !local_enabled)
        throw forbidden('registration_closed', 'Accounts are created by an administrator here');
      const name = fullName ?? email.split('@')[0] ?? email;
      const passwordHash = await newPasswords.hash(password, { email, fullName: name });
      const approvalStatus = firstStatus(settings.current());
      const isCreated = await db.$transaction(async (tx) => {
        const id = await accountsStore.createUnlessTaken(tx, { email, fullName: name, passwordHash, approvalStatus });
        if (id) await outbox.add(tx, identityEvents.userCreated, { userId: id, role: 'user', method: 'local' });
        await writeAudit(tx, {
          event: 'auth.register',
          outcome: id ? 'success' : 'failure',
          userId: id,
          username: email,
          client,
          ...(id ? { details: { approval_status: approvalStatus } } : { errorCode: 'EMAIL_TAKEN' as const }),
        });
        return id !== undefined;
      });
      if (isCreated) telemetry.signups.inc({ method: 'local' });
    },
  };
}
