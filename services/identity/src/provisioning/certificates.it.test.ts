import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { client, startProvisioningWorld, type ProvisioningWorld } from '../../test/provisioning-world.ts';
import type { Assertion } from './provisioning.ts';

let w: ProvisioningWorld;
beforeAll(async () => {
  w = await startProvisioningWorld();
});
afterAll(() => w.stop());

let people = 0;
/** The certificate that an authority gave somebody of this name, without an address in it. */
const certificate = (authority: string, name: string): Assertion =>
  w.assertion({
    source: 'pki',
    subject: { issuer: `cn=${authority}`, id: `cn=${name}` },
    login: name,
    name,
    email: null,
    placeholderEmails: [`${name}@pki.local`, `${name}.${authority}@pki.local`],
  });
const nobody = (): string => `person${(people += 1)}`;
const enter = async (a: Assertion): Promise<string> => {
  const entered = await w.provisioning.enter(a, client);
  return entered.outcome === 'entered' ? entered.userId : entered.errorCode;
};

describe('a certificate', () => {
  it('of the same subject from another authority is another person', async () => {
    const name = nobody();
    const first = await enter(certificate('one', name));
    const second = await enter(certificate('two', name));
    expect(second).not.toBe(first);
    expect(await enter(certificate('one', name))).toBe(first);
    expect(await enter(certificate('two', name))).toBe(second);
    const users = await w.db.user.findMany({ where: { id: { in: [first, second] } }, orderBy: { email: 'asc' } });
    expect(users.map((u) => u.email)).toEqual([`${name}.two@pki.local`, `${name}@pki.local`]);
  });

  it('of an account from before issuers were kept makes the account its own, for good', async () => {
    const name = nobody();
    const { id } = await w.user({ authType: 'pki', pkiSubjectDn: `cn=${name}` });
    expect(await enter(certificate('one', name))).toBe(id);
    expect(await w.db.user.findUniqueOrThrow({ where: { id } })).toMatchObject({ pkiIssuerDn: 'cn=one' });
    expect(await enter(certificate('two', name))).not.toBe(id);
    expect(await enter(certificate('one', name))).toBe(id);
  });

  it('that several authorities show at once for an account from before is one of theirs', async () => {
    // They would rarely hold each other up in one go.
    for (let round = 0; round < 20; round++) {
      const name = nobody();
      const { id } = await w.user({ authType: 'pki', pkiSubjectDn: `cn=${name}` });
      const authorities = ['one', 'two', 'three', 'four', 'five'];
      const entered = await Promise.all(authorities.map((authority) => enter(certificate(authority, name))));
      expect(entered.filter((userId) => userId === id)).toHaveLength(1);
      expect(new Set(entered).size).toBe(authorities.length);
    }
  });

  it('takes no account that somebody else made with its made-up address', async () => {
    const name = nobody();
    const { id } = await w.user({ email: `${name}@pki.local` });
    expect(await enter(certificate('one', name))).not.toBe(id);
  });
});

describe('the address of an account with a certificate', () => {
  const emailOf = async (id: string) => (await w.db.user.findUniqueOrThrow({ where: { id } })).email;
  const withAddress = (name: string, email: string | null) => ({ ...certificate('one', name), email });

  it('stays when the certificate is renewed without an address, and follows a new address', async () => {
    const name = nobody();
    const id = await enter(withAddress(name, `${name}@example.org`));
    expect(await enter(withAddress(name, null))).toBe(id);
    expect(await emailOf(id)).toBe(`${name}@example.org`);
    expect(await enter(withAddress(name, `${name}.new@example.org`))).toBe(id);
    expect(await emailOf(id)).toBe(`${name}.new@example.org`);
  });

  it.each([null, 'the same'])('stays as an administrator corrected it: certificate with %s address', async (given) => {
    const name = nobody();
    const shown = withAddress(name, given && `${name}@example.org`);
    const id = await enter(shown);
    await w.db.user.update({ where: { id }, data: { email: `${name}.corrected@example.org` } });
    expect(await enter(shown)).toBe(id);
    expect(await enter(shown)).toBe(id);
    expect(await emailOf(id)).toBe(`${name}.corrected@example.org`);
  });

  it('comes from the first certificate that names one', async () => {
    const name = nobody();
    const id = await enter(withAddress(name, null));
    expect(await emailOf(id)).toBe(`${name}@pki.local`);
    await enter(withAddress(name, `${name}@example.org`));
    expect(await emailOf(id)).toBe(`${name}@example.org`);
  });
});

describe('an account that an administrator linked to a certificate', () => {
  it.each(['local', 'ldap', 'pki'])('of source %s is the one that the certificate signs in to', async (authType) => {
    const name = nobody();
    const names = { pkiSubjectDn: `cn=${name}`, pkiIssuerDn: authType === 'pki' ? null : 'cn=one' };
    const { id } = await w.user({ authType, fullName: 'Kept Name', ...names });
    expect(await enter(certificate('one', name))).toBe(id);
    const { fullName, pkiIssuerDn } = await w.db.user.findUniqueOrThrow({ where: { id } });
    expect([fullName, pkiIssuerDn]).toEqual([authType === 'pki' ? name : 'Kept Name', 'cn=one']);
  });
});

it('refuses a subject that the index cannot hold, with a record of it', async () => {
  const subject = { issuer: 'cn=one', id: `cn=${'\u540d'.repeat(900)}` };
  const name = nobody();
  expect(await enter({ ...certificate('one', name), subject })).toBe('INVALID_IDENTITY');
  expect(await w.audit(name)).toMatchObject([{ errorCode: 'INVALID_IDENTITY' }]);
});

it('records subject, issuer, serial number and fingerprint of a certificate with the sign-in', async () => {
  const auditDetails = { subject: 'CN=x', issuer: 'CN=one', serial: '0a', fingerprint: 'ff' };
  const name = nobody();
  const shown = { ...certificate('one', name), auditDetails };
  await enter(shown);
  await enter(shown);
  expect(await w.audit(`${name}@pki.local`)).toMatchObject([{ details: auditDetails }, { details: auditDetails }]);
});
