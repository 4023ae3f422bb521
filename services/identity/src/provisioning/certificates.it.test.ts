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
    email: `${name}@pki.local`,
    spareEmail: `${name}.${authority}@pki.local`,
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
