import { identityEvents, type Role } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { writeAudit, type AuditErrorCode } from '../audit/audit.ts';
import type { Client } from '../client.ts';
import { txOptions, type Db, type Pool, type Tx } from '../database.ts';
import type { Mappings } from '../mappings/mappings.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Settings } from '../settings/settings.ts';
import type { Telemetry } from '../telemetry.ts';
import type { Known } from './identity-of.ts';
import { createMatching, type Matched } from './matching.ts';
import { loginOf, newsOf } from './profile.ts';
import { createReturning, enteredBy, passOf } from './returning.service.ts';
import {
  ownerRefusal,
  signInRefused,
  standingOf,
  type Assertion,
  type Entered,
  type Proof,
  type Provisioning,
} from './provisioning.ts';
import { provisioningStore as store } from './provisioning.store.ts';

type Deps = {
  db: Db;
  pool: Pool;
  outbox: Outbox;
  settings: Settings;
  mappings: Mappings;
  sessions: Pick<Sessions, 'open' | 'openSessionIfUnchanged' | 'endAll'>;
  telemetry: Telemetry;
};

/** Two first sign-ins at once meet at a unique index; the one that lost finds the other's account the next time. */
const tries = 3;

export const createProvisioning = (d: Deps): Provisioning => {
  const { db, outbox, mappings, sessions } = d;
  const match = createMatching(d);
  const returning = createReturning(d);

  const refuse = async (
    tx: Tx,
    a: Assertion,
    r: { errorCode: AuditErrorCode; user?: Known | undefined; reason?: string },
    client: Client,
  ): Promise<Entered> => {
    const { errorCode, user, reason } = r;
    await writeAudit(tx, {
      event: 'auth.login.failure',
      outcome: 'failure',
      userId: user?.id,
      username: loginOf(a),
      errorCode,
      client,
      details: { method: a.source, ...(reason ? { reason } : {}), ...a.auditDetails },
    });
    return { outcome: 'refused', errorCode, userId: user?.id };
  };

  /** Name and address follow the source, as far as nobody else here has them. */
  const refresh = async (tx: Tx, user: Known, a: Assertion): Promise<Known> => {
    const { fullName, email, ldapUid, assertedEmail } = newsOf(user, a);
    const newEmail = email !== undefined && (await store.isNameFree(tx, user.id, { email }));
    const newUid = ldapUid !== undefined && (await store.isNameFree(tx, user.id, { ldapUid }));
    const changes = {
      ...(fullName === undefined ? {} : { fullName }),
      ...(newEmail ? { email } : {}),
      ...(newUid ? { ldapUid } : {}),
      ...(assertedEmail === undefined ? {} : { assertedEmail }),
    };
    await store.set(tx, user.id, { lastLoginAt: new Date(), ...changes });
    if (newEmail || fullName !== undefined)
      await outbox.add(tx, identityEvents.userUpdated, { userId: user.id, role: user.role as Role, active: true });
    return { ...user, ...changes };
  };

  const roleOf = async (tx: Tx, user: Known, a: Assertion, client: Client): Promise<string> => {
    return (await mappings.reconcile(tx, passOf(user.id, a, client))).role;
  };

  const open = async (tx: Tx, m: Matched, a: Assertion, client: Client, proof?: Proof): Promise<Entered> => {
    await proof?.proved(tx, m.user.id);
    const errorCode = standingOf(m.user);
    if (errorCode) return refuse(tx, a, { errorCode, user: m.user }, client);
    const user = m.how === 'made' ? m.user : await refresh(tx, m.user, a);
    // Before the session: a changed role ends those that there are.
    const role = await roleOf(tx, user, a, client);
    const issued = await sessions.open(tx, { id: user.id, role }, client);
    await writeAudit(tx, enteredBy({ ...user, role }, a, client));
    return { outcome: 'entered', userId: user.id, issued };
  };

  const enter = async (a: Assertion, client: Client, proof?: Proof): Promise<Entered> => {
    const { entered, made } = await db.$transaction(async (tx) => {
      const m = await match(tx, a, client);
      if ('refused' in m)
        return {
          entered: await refuse(tx, a, { errorCode: m.refused, user: m.user, reason: m.reason }, client),
          made: null,
        };
      return { entered: await open(tx, m, a, client, proof), made: m.how === 'made' ? m.method : null };
    }, txOptions);
    if (made) d.telemetry.signups.inc({ method: made });
    return entered;
  };

  const again: Provisioning['enter'] = async (a, client, proof) => {
    const asBefore = await returning(a, client, proof);
    if (asBefore) return asBefore;
    for (let left = tries; ; left--)
      try {
        return await enter(a, client, proof);
      } catch (error) {
        if (left <= 1 || !isTakenMeanwhile(error)) throw error;
      }
  };

  return {
    enter: again,
    signIn: async (a, client) => {
      const entered = await again(a, client);
      if (entered.outcome === 'entered') return entered.issued;
      throw ownerRefusal(entered.errorCode) ?? signInRefused();
    },
  };
};

const isTakenMeanwhile = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'P2002';
