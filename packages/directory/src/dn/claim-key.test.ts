import { expect, it, jest } from '@jest/globals';
import * as names from './dn.ts';

it('parses each of 50,000 group names once, however often they occur', async () => {
  let parsed = 0;
  jest.unstable_mockModule('./dn.ts', () => ({
    ...names,
    tryCanonicalDn: (text: string) => {
      parsed += 1;
      return names.tryCanonicalDn(text);
    },
  }));
  const { ldapClaimKey } = await import('./claim-key.ts');
  // The escape keeps the names from being recognised as simple.
  const dns = Array.from({ length: 50_000 }, (_, i) => String.raw`cn=Group\, ${i},dc=x`);
  const keys = dns.map(ldapClaimKey);
  expect(dns.map(ldapClaimKey)).toEqual(keys);
  expect(parsed).toBe(50_000);
});
