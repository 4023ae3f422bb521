import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { type DirectoryChange } from '@overtone/contracts';
import { createOutbox } from '@overtone/database';
import { createMetrics } from '@overtone/service-kit';
import { startMappingWorld } from '../../test/mapping-world.ts';
import { roleIn, sessionsOver } from '../../test/real-sessions.ts';
import { createProvisioning } from '../provisioning/provisioning.service.ts';
import { effective } from '../settings/settings.ts';
import { createTelemetry } from '../telemetry.ts';
import { createSyncChanges } from './sync.service.ts';

const client = { ip: '127.0.0.1', userAgent: null, requestId: null };
const staff = 'cn=staff,dc=example,dc=org';
const admins = 'cn=admins,dc=example,dc=org';

const world = await startMappingWorld();
const group = await world.group();
await world.map(staff, { group });
await world.map(admins, { role: 'admin' });
const doors = doorsOf();

/** A real sign-in and a real directory sync with separate connections. */
function doorsOf() {
  const outbox = createOutbox('identity');
  const [{ db, pool, mappings }, { db: other, pool: otherPool }] = world.replicas;
  const { values } = effective(new Map(), {});
  const settings = { current: () => values };
  const provisioning = createProvisioning({
    db,
    pool,
    outbox,
    settings,
    mappings,
    sessions: sessionsOver({ db, pool, outbox, settings }),
    telemetry: createTelemetry(createMetrics()),
  });
  return {
    provisioning,
    sync: createSyncChanges({
      db: other,
      outbox,
      sessions: sessionsOver({ db: other, pool: otherPool, outbox, settings }),
    }),
  };
}

type Person = { userId: string; id: string };
type Case = {
  /** The account before, the change of the directory sync, and the groups of the sign-in. */
  account: { role: 'user' | 'admin'; directoryId: boolean };
  change: (person: Person) => Partial<DirectoryChange>;
  claims: string[];
};

async function personOf({ account }: Case): Promise<Person> {
  const id = `entryUUID:${randomUUID()}`;
  const userId = await world.user({ role: account.role });
  await world.db.user.update({
    where: { id: userId },
    data: { ldapUid: `login-${userId}`, directoryId: account.directoryId ? id : null },
  });
  return { userId, id };
}

function entering(change: Case, { userId, id }: Person) {
  return doors.provisioning.trySignIn(
    {
      source: 'ldap',
      subject: { issuer: null, id },
      login: `login-${userId}`,
      email: `login-${userId}@example.org`,
      emailVerified: false,
      name: 'Some Body',
      claims: { known: true, values: change.claims },
      legacyAdmin: 'no',
    },
    client,
  );
}

function syncRuns(change: Case, person: Person) {
  return doors.sync.apply({
    passId: randomUUID(),
    changes: [
      {
        userId: person.userId,
        expected: { role: change.account.role, directoryId: change.account.directoryId ? person.id : null },
        disable: null,
        role: null,
        add: [],
        remove: [],
        adopt: null,
        ...change.change(person),
      },
    ],
  });
}

/** The state by which the two orders differ. */
async function ended(
  person: Person,
  signedIn: Awaited<ReturnType<typeof entering>>,
  { results }: Awaited<ReturnType<typeof syncRuns>>,
) {
  const user = await world.db.user.findUniqueOrThrow({ where: { id: person.userId } });
  const members = await world.db.userGroupMember.findMany({ where: { userId: person.userId } });
  const audit = await world.db.auditLog.findMany({ where: { userId: person.userId } });
  return JSON.stringify({
    signIn:
      signedIn.outcome === 'signed_in' ? `signed_in as ${roleIn(signedIn.issued.accessToken)}` : signedIn.errorCode,
    sync: results.map((result) => `${result.outcome}, ${result.sessionsRevoked} ended`),
    active: user.isActive,
    disabledBy: user.disabledBy,
    role: user.role,
    known: user.directoryId === person.id,
    groups: members.map((member) => `${member.groupId} ${member.source}`).sort(),
    sessions: await world.db.refreshToken.count({ where: { userId: person.userId, revokedAt: null } }),
    audit: audit
      .map(
        (account) =>
          `${account.eventType} ${account.actor === person.userId ? 'themselves' : account.actor} ${account.outcome}`,
      )
      .sort(),
  });
}

const cases: Record<string, Case> = {
  'a disabled account': {
    account: { role: 'user', directoryId: true },
    change: () => ({ disable: { reason: 'absent_from_directory', evidence: {} } }),
    claims: [staff],
  },
  'a disabled account that signs in with more rights': {
    account: { role: 'user', directoryId: true },
    change: () => ({ disable: { reason: 'no_longer_in_required_groups', evidence: {} } }),
    claims: [staff, admins],
  },
  'an account that loses its role and signs in with it': {
    account: { role: 'admin', directoryId: true },
    change: () => ({ role: 'user' }),
    claims: [admins],
  },
  'an account with added and removed groups': {
    account: { role: 'user', directoryId: true },
    change: () => ({ add: [group] }),
    claims: [],
  },
  'an account whose immutable id both bring': {
    account: { role: 'user', directoryId: false },
    change: ({ id }) => ({ adopt: id, add: [group] }),
    claims: [staff],
  },
};

describe('a sign-in racing the directory sync for one account', () => {
  it.each(Object.entries(cases))('ends in one of the two serial outcomes: %s', async (_who, change) => {
    const first = await personOf(change);
    const sweptFirst = await syncRuns(change, first);
    const second = await personOf(change);
    const enteredFirst = await entering(change, second);
    const serial = [
      await ended(first, await entering(change, first), sweptFirst),
      await ended(second, enteredFirst, await syncRuns(change, second)),
    ];
    for (let i = 0; i < 40; i++) {
      const person = await personOf(change);
      // From a large head start of the one to one of the other, in steps shorter than either takes.
      const [signedIn, swept] = await Promise.all([
        sleep(Math.max(0, i - 20) / 2).then(() => entering(change, person)),
        sleep(Math.max(0, 20 - i) / 2).then(() => syncRuns(change, person)),
      ]);
      expect(serial).toContain(await ended(person, signedIn, swept));
    }
  });
});
