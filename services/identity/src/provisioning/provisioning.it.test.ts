import { describe, expect, it } from '@jest/globals';
import { client, startProvisioningWorld } from '../../test/provisioning-world.ts';
import type { User } from '../generated/client.ts';
import type { Assertion } from './provisioning.ts';

const world = await startProvisioningWorld();

const sources = ['ldap', 'oidc', 'pki', 'proxy'] as const;
/** An account without identity, or linked to an identity of a source. */
const owners: Record<string, (text: string) => Partial<User>> = {
  unlinked: () => ({ authType: 'local' }),
  'an LDAP entry': (name) => ({ authType: 'ldap', ldapUid: name, directoryId: `entryUUID:${name}` }),
  'an LDAP name': (name) => ({ authType: 'ldap', ldapUid: name }),
  'an OIDC subject': (name) => ({ authType: 'oidc', oidcIssuer: 'https://idp.example.org', oidcSubject: name }),
  'a certificate': (name) => ({ authType: 'pki', pkiSubjectDn: name }),
  'a proxy user': (name) => ({ authType: 'proxy', proxyUser: name }),
};
const spellings: Record<string, (email: string) => string> = {
  unchanged: (email) => email,
  'in capitals': (email) => email.toUpperCase(),
  'with spaces': (email) => ` ${email} `,
};

describe('an e-mail address of an existing account', () => {
  const cells = sources.flatMap((source) =>
    [true, false].flatMap((verified) =>
      ['user', 'admin', 'super_admin'].flatMap((role) =>
        Object.keys(owners).flatMap((owner) =>
          Object.keys(spellings).map((spelling) => ({ source, verified, role, owner, spelling })),
        ),
      ),
    ),
  );

  it(`links in exactly the allowed of ${cells.length} cases; the others have one refusal and one record each`, async () => {
    const wrong: unknown[] = [];
    for (const [i, cell] of cells.entries()) {
      const { source, verified, role, owner, spelling } = cell;
      const target = await world.user({ role, ...owners[owner]?.(`owner${i}`) });
      const assertion = world.assertion({
        source,
        email: spellings[spelling]?.(target.email) ?? null,
        emailVerified: verified,
      });
      const signedIn = await world.provisioning.trySignIn(assertion, client);
      const after = await world.db.user.findUniqueOrThrow({ where: { id: target.id } });
      const records = (await world.audit(assertion.login)).map((record) => record.errorCode);
      const allowed = verified && role !== 'super_admin' && owner === 'unlinked';
      const held = allowed
        ? signedIn.outcome === 'signed_in' &&
          signedIn.userId === target.id &&
          after.authType === source &&
          after.role === role
        : signedIn.outcome === 'refused' &&
          records.join() === 'ACCOUNT_LINK_REFUSED' &&
          JSON.stringify(after) === JSON.stringify(target) &&
          (await world.liveSessions(target.id)) === 0;
      if (!held) wrong.push({ cell, signedIn, records });
    }
    expect(wrong).toEqual([]);
  });

  it.each(sources)('is refused by %s like a wrong password', async (source) => {
    const { email } = await world.user();
    await expect(world.provisioning.signIn(world.assertion({ source, email }), client)).rejects.toMatchObject({
      kind: 'unauthenticated',
      code: 'invalid_credentials',
      message: 'Incorrect username or password',
    });
  });

  it.each(sources)('that is linked by %s loses its sessions and its password', async (source) => {
    const target = await world.user({ passwordHash: 'kept', allowLocalFallback: false });
    await world.db.refreshToken.create({
      data: {
        sessionId: target.id,
        userId: target.id,
        tokenHash: `of ${target.id}`,
        expiresAt: new Date(Date.now() + 60_000),
        absoluteExpiresAt: new Date(Date.now() + 60_000),
      },
    });
    const assertion = world.assertion({ source, email: target.email, emailVerified: true });
    await world.provisioning.signIn(assertion, client);
    expect(await world.liveSessions(target.id)).toBe(1);
    const after = await world.db.user.findUniqueOrThrow({ where: { id: target.id } });
    // A person who registered the address before its owner has no access any more.
    expect(after).toMatchObject({ passwordHash: null, allowLocalFallback: false });
    // Further sign-ins use the identity, not the address.
    await world.provisioning.signIn({ ...assertion, email: world.address(), emailVerified: false }, client);
    expect(await world.liveSessions(target.id)).toBe(2);
  });
});

describe('a first sign-in', () => {
  it.each([
    ['ldap', 'ldap'],
    ['oidc', 'keycloak'],
    ['pki', 'pki'],
    ['proxy', 'external'],
  ] as const)('by %s is counted in user_signups_total as %s and published', async (source, method) => {
    const assertion = world.assertion({ source });
    const signedIn = await world.provisioning.trySignIn(assertion, client);
    expect(await world.signups()).toContain(`user_signups_total{method="${method}"}`);
    const user = await world.db.user.findFirstOrThrow({ where: { email: assertion.email ?? '' } });
    expect(user).toMatchObject({ authType: source, role: 'user', approvalStatus: 'approved', passwordHash: null });
    expect(signedIn).toMatchObject({ outcome: 'signed_in', userId: user.id });
    const published = await world.db.$queryRaw<{ data: unknown }[]>`
      select data from identity_outbox where subject = 'evt.identity.user.created.v1' and data ->> 'userId' = ${user.id}`;
    expect(published).toEqual([{ data: { userId: user.id, role: 'user', method } }]);
  });

  it.each(sources)(
    'by %s waits for approval under require_account_approval: no session, one record',
    async (source) => {
      world.set({ require_account_approval: true });
      const assertion = world.assertion({ source });
      const signedIn = await world.provisioning.trySignIn(assertion, client);
      world.set({ require_account_approval: false });
      expect(signedIn).toMatchObject({ outcome: 'refused', errorCode: 'ACCOUNT_PENDING_APPROVAL' });
      const user = await world.db.user.findFirstOrThrow({ where: { email: assertion.email ?? '' } });
      expect(user.approvalStatus).toBe('pending');
      expect(await world.liveSessions(user.id)).toBe(0);
      await expect(world.provisioning.signIn(assertion, client)).rejects.toMatchObject({
        code: 'account_pending_approval',
      });
    },
  );

  it.each([null, '', 'no address', 'two@at@example.org', `${'x'.repeat(320)}@example.org`, 'a\u0000@example.org'])(
    'without an address mail could be sent to (%j) makes no account',
    async (email) => {
      const before = await world.db.user.count();
      expect(await world.provisioning.trySignIn(world.assertion({ source: 'oidc', email }), client)).toMatchObject({
        outcome: 'refused',
        errorCode: 'INVALID_EMAIL',
      });
      expect(await world.db.user.count()).toBe(before);
    },
  );

  it.each([
    { login: 'a\u0000b' },
    { login: ' ' },
    { login: '\ud800' },
    { subject: { issuer: null, id: 'a\u0000b' } },
    { subject: { issuer: null, id: 'x'.repeat(5000) } },
  ])('with a name that cannot be stored (%j) creates no account', async (odd) => {
    const before = await world.db.user.count();
    expect(await world.provisioning.trySignIn(world.assertion({ source: 'proxy', ...odd }), client)).toMatchObject({
      outcome: 'refused',
      errorCode: 'INVALID_IDENTITY',
    });
    expect(await world.db.user.count()).toBe(before);
  });

  it('treats any name as text', async () => {
    const assertion = world.assertion({
      source: 'ldap',
      name: `=cmd|'/c calc'!A1\u0000\u001b[31m\u202e<script>${'x'.repeat(1e6)}`,
    });
    await world.provisioning.signIn(assertion, client);
    const { fullName } = await world.db.user.findFirstOrThrow({ where: { email: assertion.email ?? '' } });
    expect(fullName).toHaveLength(200);
    expect(fullName).not.toMatch(/\p{C}/u);
  });

  it('creates one account for sixty-four concurrent sign-ins', async () => {
    const assertion = world.assertion({ source: 'oidc' });
    const all = await Promise.all(Array.from({ length: 64 }, () => world.provisioning.trySignIn(assertion, client)));
    expect(new Set(all.map((outcome) => outcome.userId)).size).toBe(1);
    expect(all.every((outcome) => outcome.outcome === 'signed_in')).toBe(true);
  });
});

describe('a known account', () => {
  const known = async (source: Assertion['source']) => {
    const assertion = world.assertion({ source });
    await world.provisioning.signIn(assertion, client);
    return { a: assertion, user: await world.db.user.findFirstOrThrow({ where: { email: assertion.email ?? '' } }) };
  };

  const states = {
    account_disabled: { isActive: false },
    account_pending_approval: { approvalStatus: 'pending' },
    account_rejected: { approvalStatus: 'rejected' },
  };
  it.each(sources.flatMap((source) => Object.entries(states).map(([code, data]) => [source, code, data] as const)))(
    'of %s gets the answer %s and no session',
    async (source, code, data) => {
      const { a: assertion, user } = await known(source);
      await world.db.user.update({ where: { id: user.id }, data });
      await expect(world.provisioning.signIn(assertion, client)).rejects.toMatchObject({ kind: 'forbidden', code });
      expect(await world.liveSessions(user.id)).toBe(1);
    },
  );

  it('whose id the directory no longer returns is refused, although its name matches', async () => {
    const { a: assertion } = await known('ldap');
    expect(
      await world.provisioning.trySignIn({ ...assertion, subject: { issuer: null, id: '' } }, client),
    ).toMatchObject({
      outcome: 'refused',
      errorCode: 'IDENTITY_CONFLICT',
    });
  });

  it('of a directory without ids is found by its name', async () => {
    const assertion = world.assertion({ source: 'ldap', subject: { issuer: null, id: '' } });
    await world.provisioning.signIn(assertion, client);
    const user = await world.db.user.findFirstOrThrow({ where: { email: assertion.email ?? '' } });
    expect(user).toMatchObject({ ldapUid: assertion.login, directoryId: null });
    expect(
      await world.provisioning.trySignIn({ ...assertion, login: assertion.login.toUpperCase() }, client),
    ).toMatchObject({
      outcome: 'signed_in',
      userId: user.id,
    });
  });

  it('of one issuer is not used for another issuer with the same subject', async () => {
    const { a: assertion, user } = await known('oidc');
    const other = {
      ...assertion,
      subject: { issuer: 'https://other.example.org', id: assertion.subject.id },
      email: world.address(),
    };
    const signedIn = await world.provisioning.trySignIn(other, client);
    expect(signedIn.outcome).toBe('signed_in');
    expect(signedIn.userId).not.toBe(user.id);
  });
});
