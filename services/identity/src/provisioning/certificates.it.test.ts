import { describe, expect, it } from '@jest/globals';
import { client, startProvisioningWorld } from '../../test/provisioning-world.ts';
import type { Assertion } from './provisioning.ts';

const world = await startProvisioningWorld();

let names = 0;
/** The assertion of a certificate without an address. */
function certificate(authority: string, name: string): Assertion {
  return world.assertion({
    source: 'pki',
    subject: { issuer: `cn=${authority}`, id: `cn=${name}` },
    login: name,
    name,
    email: null,
    placeholderEmails: [`${name}@pki.local`, `${name}.${authority}@pki.local`],
  });
}

function newName(): string {
  return `person${(names += 1)}`;
}

async function trySignIn(assertion: Assertion): Promise<string> {
  const signedIn = await world.provisioning.trySignIn(assertion, client);
  return signedIn.outcome === 'signed_in' ? signedIn.userId : signedIn.errorCode;
}

describe('a certificate', () => {
  it('of the same subject from another authority belongs to another person', async () => {
    const name = newName();
    const first = await trySignIn(certificate('one', name));
    const second = await trySignIn(certificate('two', name));
    expect(second).not.toBe(first);
    expect(await trySignIn(certificate('one', name))).toBe(first);
    expect(await trySignIn(certificate('two', name))).toBe(second);
    const users = await world.db.user.findMany({ where: { id: { in: [first, second] } }, orderBy: { email: 'asc' } });
    expect(users.map((user) => user.email)).toEqual([`${name}.two@pki.local`, `${name}@pki.local`]);
  });

  it('permanently claims an account without a stored issuer', async () => {
    const name = newName();
    const { id } = await world.user({ authType: 'pki', pkiSubjectDn: `cn=${name}` });
    expect(await trySignIn(certificate('one', name))).toBe(id);
    expect(await world.db.user.findUniqueOrThrow({ where: { id } })).toMatchObject({ pkiIssuerDn: 'cn=one' });
    expect(await trySignIn(certificate('two', name))).not.toBe(id);
    expect(await trySignIn(certificate('one', name))).toBe(id);
  });

  it('of one of several concurrent authorities claims an account without a stored issuer', async () => {
    // Repeated, because the sign-ins rarely conflict.
    for (let round = 0; round < 20; round++) {
      const name = newName();
      const { id } = await world.user({ authType: 'pki', pkiSubjectDn: `cn=${name}` });
      const authorities = ['one', 'two', 'three', 'four', 'five'];
      const signedIn = await Promise.all(authorities.map((authority) => trySignIn(certificate(authority, name))));
      expect(signedIn.filter((userId) => userId === id)).toHaveLength(1);
      expect(new Set(signedIn).size).toBe(authorities.length);
    }
  });

  it('does not claim an account of another person with its placeholder address', async () => {
    const name = newName();
    const { id } = await world.user({ email: `${name}@pki.local` });
    expect(await trySignIn(certificate('one', name))).not.toBe(id);
  });
});

describe('the address of an account with a certificate', () => {
  const emailOf = async (id: string) => (await world.db.user.findUniqueOrThrow({ where: { id } })).email;
  const withAddress = (name: string, email: string | null) => ({ ...certificate('one', name), email });

  it('stays when the certificate is renewed without an address, and follows a new address', async () => {
    const name = newName();
    const id = await trySignIn(withAddress(name, `${name}@example.org`));
    expect(await trySignIn(withAddress(name, null))).toBe(id);
    expect(await emailOf(id)).toBe(`${name}@example.org`);
    expect(await trySignIn(withAddress(name, `${name}.new@example.org`))).toBe(id);
    expect(await emailOf(id)).toBe(`${name}.new@example.org`);
  });

  it.each([null, 'the same'])(
    'keeps the correction of an administrator: certificate with %s address',
    async (given) => {
      const name = newName();
      const shown = withAddress(name, given && `${name}@example.org`);
      const id = await trySignIn(shown);
      await world.db.user.update({ where: { id }, data: { email: `${name}.corrected@example.org` } });
      expect(await trySignIn(shown)).toBe(id);
      expect(await trySignIn(shown)).toBe(id);
      expect(await emailOf(id)).toBe(`${name}.corrected@example.org`);
    },
  );

  it('comes from the first certificate that names one', async () => {
    const name = newName();
    const id = await trySignIn(withAddress(name, null));
    expect(await emailOf(id)).toBe(`${name}@pki.local`);
    await trySignIn(withAddress(name, `${name}@example.org`));
    expect(await emailOf(id)).toBe(`${name}@example.org`);
  });
});

describe('an account that an administrator linked to a certificate', () => {
  it.each(['local', 'ldap', 'pki'])('of source %s is used by sign-ins with the certificate', async (authType) => {
    const name = newName();
    const names = { pkiSubjectDn: `cn=${name}`, pkiIssuerDn: authType === 'pki' ? null : 'cn=one' };
    const { id } = await world.user({ authType, fullName: 'Kept Name', ...names });
    expect(await trySignIn(certificate('one', name))).toBe(id);
    const { fullName, pkiIssuerDn } = await world.db.user.findUniqueOrThrow({ where: { id } });
    expect([fullName, pkiIssuerDn]).toEqual([authType === 'pki' ? name : 'Kept Name', 'cn=one']);
  });
});

it('refuses and audits a subject that is too long for the index', async () => {
  const subject = { issuer: 'cn=one', id: `cn=${'\u540d'.repeat(900)}` };
  const name = newName();
  expect(await trySignIn({ ...certificate('one', name), subject })).toBe('INVALID_IDENTITY');
  expect(await world.audit(name)).toMatchObject([{ errorCode: 'INVALID_IDENTITY' }]);
});

it('records subject, issuer, serial number and fingerprint of a certificate with the sign-in', async () => {
  const auditDetails = { subject: 'CN=x', issuer: 'CN=one', serial: '0a', fingerprint: 'ff' };
  const name = newName();
  const shown = { ...certificate('one', name), auditDetails };
  await trySignIn(shown);
  await trySignIn(shown);
  expect(await world.audit(`${name}@pki.local`)).toMatchObject([{ details: auditDetails }, { details: auditDetails }]);
});
