import { describe, expect, it } from '@jest/globals';
import { testSeed } from '@overtone/testkit/seed';
import * as fc from 'fast-check';
import { canonicalDn, isWithin, parseDn, sameDn, tryCanonicalDn } from './dn.ts';

fc.configureGlobal({ seed: testSeed });

// Each line: spellings of one name.
const equal: readonly (readonly [string, ...string[]])[] = [
  ['cn=alice,dc=example,dc=org', 'CN=Alice,DC=Example,DC=ORG', 'cn = alice , dc = example , dc = org'],
  ['cn=alice,dc=x', '2.5.4.3=alice,dc=x', 'OID.2.5.4.3=alice,dc=x', 'oid.2.5.4.3=alice,dc=x', 'commonName=alice,dc=x'],
  ['dc=x', '0.9.2342.19200300.100.1.25=x', 'domainComponent=X'],
  ['uid=a,dc=x', 'userid=a,dc=x', '0.9.2342.19200300.100.1.1=A,dc=x'],
  ['ou=a,o=b,c=de', '2.5.4.11=a,2.5.4.10=b,2.5.4.6=DE', 'organizationalUnitName=a,organizationName=b,countryName=de'],
  ['l=a,st=b,street=c', '2.5.4.7=a,2.5.4.8=b,2.5.4.9=c', 'localityName=a,stateOrProvinceName=b,streetAddress=c'],
  ['sn=x,givenName=y', 'surname=x,gn=y', '2.5.4.4=x,2.5.4.42=y'],
  ['mail=a@b.c,dc=x', 'rfc822Mailbox=a@b.c,dc=x'],
  ['email=a@b.c,dc=x', 'E=a@b.c,dc=x', 'emailAddress=a@b.c,dc=x', '1.2.840.113549.1.9.1=a@b.c,dc=x'],
  ['cn=a\\,b,dc=x', 'cn=a\\2Cb,dc=x', 'cn=a\\2cb,dc=x', 'cn="a,b",dc=x'],
  ['cn=a\\+b,dc=x', 'cn=a\\2Bb,dc=x', 'cn="a+b",dc=x'],
  ['cn=a\\"b,dc=x', 'cn=a\\22b,dc=x', 'cn="a\\"b",dc=x'],
  ['cn=a\\\\b,dc=x', 'cn=a\\5Cb,dc=x', 'cn="a\\\\b",dc=x'],
  ['cn=a\\<b,dc=x', 'cn=a\\3Cb,dc=x', 'cn="a<b",dc=x'],
  ['cn=a\\>b,dc=x', 'cn=a\\3Eb,dc=x', 'cn="a>b",dc=x'],
  ['cn=a\\;b,dc=x', 'cn=a\\3Bb,dc=x', 'cn="a;b",dc=x'],
  ['cn=a=b,dc=x', 'cn=a\\=b,dc=x', 'cn=a\\3Db,dc=x', 'cn="a=b",dc=x'],
  ['cn=\\#a,dc=x', 'cn=\\23a,dc=x', 'cn="#a",dc=x'],
  ['cn=a#b,dc=x', 'cn=a\\#b,dc=x', 'cn=a\\23b,dc=x'],
  ['cn=a b,dc=x', 'cn=a  b,dc=x', 'cn=a\\20b,dc=x', 'cn=a\\ b,dc=x', 'cn= a b ,dc=x', 'cn=A B,dc=x', 'cn=a\tb,dc=x'],
  ['cn=a,dc=x', 'cn=\\ a,dc=x', 'cn=a\\ ,dc=x', 'cn=\\20a\\20,dc=x', 'cn=" a ",dc=x'],
  ['cn=a+uid=b,dc=x', 'uid=b+cn=a,dc=x', 'UID=B + CN=A, DC=X', 'commonName=a+userid=b,dc=x'],
  ['cn=a+ou=b+uid=c,dc=x', 'uid=c+cn=a+ou=b,dc=x', 'ou=b+uid=c+cn=a,dc=x'],
  ['cn=Lučić,dc=x', 'cn=Lu\\C4\\8Di\\C4\\87,dc=x', 'cn=LUČIĆ,dc=x', 'cn=Lučić,dc=x'],
  ['cn=Ångström,dc=x', 'cn=ångström,dc=x', 'cn=A\u030angstro\u0308m,dc=x', 'cn=\u212bngstr\u00f6m,dc=x'],
  ['cn=ＡＢＣ,dc=x', 'cn=abc,dc=x'],
  ['cn=ﬁle,dc=x', 'cn=file,dc=x', 'cn=FILE,dc=x'],
  ['cn=Σίσυφος,dc=x', 'cn=ΣΊΣΥΦΟΣ,dc=x', 'cn=σίσυφοσ,dc=x'],
  ['cn=x²,dc=x', 'cn=x2,dc=x'],
  ['cn=a\u00adb,dc=x', 'cn=ab,dc=x', 'cn=a\u200bb,dc=x', 'cn=a\ufeffb,dc=x'],
  ['cn=a\u00a0b,dc=x', 'cn=a b,dc=x', 'cn=a\u3000b,dc=x', 'cn=a\u2003b,dc=x'],
  [
    '1.3.6.1.4.1.1466.0=#04024869',
    '1.3.6.1.4.1.1466.0=Hi',
    '1.3.6.1.4.1.1466.0=#0C024869',
    'OID.1.3.6.1.4.1.1466.0=#13024869',
  ],
  ['cn=#0c05c384c3b6c39f,dc=x', 'cn=#0C05C384C3B6C39F,dc=x'],
  ['cn=a', 'CN=A', ' cn=a '],
  ['cn=,dc=x', 'cn="",dc=x', 'cn= ,dc=x'],
  ['CN=R\\26D\\, Staff,OU=G,DC=x', 'cn="R&D, Staff",ou=g,dc=X', 'cn=r&d\\2c staff,ou=g,dc=x'],
];

// Pairs of similar but different names.
const different: readonly (readonly [string, string])[] = [
  ['cn=a,dc=x', 'cn=a,dc=x,dc=y'],
  ['cn=a,dc=x', 'cn=b,dc=x'],
  ['cn=a,dc=x', 'ou=a,dc=x'],
  ['cn=a,ou=b,dc=x', 'ou=b,cn=a,dc=x'],
  ['cn=a+uid=b,dc=x', 'cn=a,uid=b,dc=x'],
  ['cn=a+uid=b,dc=x', 'cn=a,dc=x'],
  ['cn=a\\,b,dc=x', 'cn=a,cn=b,dc=x'],
  ['cn=a\\2Cdc\\3Dx', 'cn=a,dc=x'],
  ['cn="a,dc=x"', 'cn=a,dc=x'],
  ['cn=a b,dc=x', 'cn=ab,dc=x'],
  ['cn=straße,dc=x', 'cn=strasse,dc=x'],
  ['cn=ı,dc=x', 'cn=i,dc=x'],
  ['cn=а,dc=x', 'cn=a,dc=x'], // Cyrillic
  ['cn=admin\u0455,dc=x', 'cn=admins,dc=x'],
  ['cn=o,dc=x', 'cn=0,dc=x'],
  ['cn=é,dc=x', 'cn=e,dc=x'],
  ['cn=#0500,dc=x', 'cn=,dc=x'],
  ['cn=#030203ff,dc=x', 'cn=#030203fe,dc=x'],
  ['cn=\\ff,dc=x', 'cn=\\fe,dc=x'],
  ['cn=\\#61,dc=x', 'cn=#040161,dc=x'],
  ['2.5.4.3=a', '2.5.4.33=a'],
];

const noDns: readonly string[] = [
  'alice',
  '=a',
  'cn',
  'cn=a,',
  ',cn=a',
  'cn=a,,dc=x',
  'cn=a+,dc=x',
  'cn=a+',
  '+cn=a',
  'cn=a\\',
  'cn=a\\x',
  'cn=a\\2',
  'cn=a\\zz',
  'cn="a',
  'cn="a"b',
  'cn="a" b,dc=x',
  'cn=#',
  'cn=#1',
  'cn=#0',
  'cn=#04 x',
  'cn=#04zz',
  'cn=a;dc=x',
  'cn=a<b',
  'cn=a>b',
  'cn=a"b',
  'cn=a\0b',
  '1=a',
  '1.=a',
  '.1.2=a',
  '1..2=a',
  '-cn=a',
  'c n=a',
  'cn_x=a',
  'c*=a',
  'cn:dn:=a',
  '(cn=a)',
  'üid=a',
  'OID.cn=a',
];

describe('names of entries', () => {
  it.each(equal.map((spellings) => ({ first: spellings[0], spellings })))(
    '$first is one name in all its spellings',
    ({ first, spellings }) => {
      for (const spelling of spellings) {
        expect(canonicalDn(spelling)).toBe(canonicalDn(first));
        expect(sameDn(spelling, first)).toBe(true);
      }
    },
  );

  it.each(different)('%s is not %s', (left, right) => {
    expect(sameDn(left, right)).toBe(false);
    expect(tryCanonicalDn(left)).toBeDefined();
    expect(tryCanonicalDn(right)).toBeDefined();
  });

  it.each(noDns)('%j is no name, and equals nothing', (text) => {
    expect(() => canonicalDn(text)).toThrow();
    expect(sameDn(text, text)).toBe(false);
  });

  it('an empty text names no entry', () => {
    expect(() => canonicalDn('')).toThrow();
    expect(sameDn('', '')).toBe(false);
    expect(parseDn(' ')).toEqual([]);
  });

  it.each([
    ['cn=a,dc=x,dc=y', 'DC=Y', true],
    ['cn=a,dc=x', 'dc=x', true],
    ['dc=x', 'dc=x', true],
    ['cn=a,dc=xx', 'dc=x', false],
    ['cn=a\\,dc=x', 'dc=x', false],
    ['dc=x', 'cn=a,dc=x', false],
    ['cn=a,dc=x', '', true],
    ['nonsense', 'dc=x', false],
  ])('%j lies within %j: %s', (dn, base, expected) => {
    expect(isWithin(dn, base)).toBe(expected);
  });
});

describe('names of entries, generated', () => {
  const type = fc.constantFrom('cn', 'OU', 'dc', 'uid', '2.5.4.10', 'x-custom');
  const value = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }).filter((value) => value.isWellFormed());
  const dn = fc.array(fc.array(fc.tuple(type, value), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 });
  type Generated = [string, string][][];
  const write = (rdns: Generated, escape: (text: string) => string): string =>
    rdns.map((rdn) => rdn.map(([text, value]) => `${text}=${escape(value)}`).join('+')).join(',');
  const everyByte = (text: string): string => Buffer.from(text).toString('hex').replace(/../g, '\\$&');
  const specials = (text: string): string => text.replace(/[,+"\\<>;=#\s\0\u0085]/g, everyByte);
  const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

  it('mean the same however they are escaped', () => {
    fc.assert(
      fc.property(dn, (rdns) => {
        const canonical = canonicalDn(write(rdns, everyByte));
        expect(canonicalDn(write(rdns, specials))).toBe(canonical);
        expect(canonicalDn(write(rdns, quoted))).toBe(canonical);
      }),
      { numRuns: 1000 },
    );
  });

  it('have a canonical text that is a spelling of themselves', () => {
    fc.assert(
      fc.property(dn, (rdns) => {
        const canonical = canonicalDn(write(rdns, everyByte));
        expect(canonicalDn(canonical)).toBe(canonical);
      }),
      { numRuns: 1000 },
    );
  });

  it('hold the value that was written, and nothing of it becomes structure', () => {
    fc.assert(
      fc.property(value, (value) => {
        expect(parseDn(`cn=${specials(value)},dc=x`)).toEqual([
          [{ type: 'cn', value: value }],
          [{ type: 'dc', value: 'x' }],
        ]);
      }),
      { numRuns: 1000 },
    );
  });

  it('are read or refused, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...Array.from('cn=,+\\"#;<> a1.é')), maxLength: 30 }), (text) => {
        const canonical = tryCanonicalDn(text);
        if (canonical !== undefined) expect(canonicalDn(canonical)).toBe(canonical);
      }),
      { numRuns: 2000 },
    );
  });
});
