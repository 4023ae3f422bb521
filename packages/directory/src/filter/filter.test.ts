import { describe, expect, it } from '@jest/globals';
import { readRequest, type AskedFilter } from '@overtone/testkit/ldap';
import { testSeed } from '@overtone/testkit/seed';
import * as fc from 'fast-check';
import { encodeSearch } from '../wire/requests.ts';
import { parseTemplate } from './filter-template.ts';
import { encodeFilter, filterText, type Filter } from './filter.ts';
import { isLogin } from '../read/find.ts';

fc.configureGlobal({ seed: testSeed });

const attributes = { username: 'sAMAccountName', email: 'mail' };

function template(text: string) {
  return parseTemplate(text, attributes);
}

/** The filter as a server reads it from the wire. */
function overTheWire(filter: Filter): AskedFilter {
  const request = { base: '', scope: 'sub', filter, attributes: [], maxEntries: 2 } as const;
  const asked = readRequest(encodeSearch(7, request, 5));
  if (asked.kind !== 'search') throw new Error('no search');
  return asked.filter;
}

describe('a user search filter', () => {
  it.each([
    ['({username_attr}={username})', '(sAMAccountName=bob)', '(mail=bob)'],
    ['(sAMAccountName={username})', '(sAMAccountName=bob)', '(mail=bob)'],
    ['(uid={username})', '(uid=bob)', '(mail=bob)'],
    ['(employeeId={username})', '(employeeId=bob)', '(mail=bob)'],
    ['uid={username}', '(uid=bob)', '(mail=bob)'],
    [
      '(&(objectClass=person)(uid={username}))',
      '(&(objectClass=person)(uid=bob))',
      '(&(objectClass=person)(mail=bob))',
    ],
    [
      '(& (objectClass=person)\n (uid={username}) )',
      '(&(objectClass=person)(uid=bob))',
      '(&(objectClass=person)(mail=bob))',
    ],
    ['(|(uid={username})(cn={username}))', '(|(uid=bob)(cn=bob))', '(|(mail=bob)(mail=bob))'],
    ['(userPrincipalName={username}@corp)', '(userPrincipalName=bob@corp)', '(mail=bob)'],
    [
      '(&(uid={username})(!(userAccountControl:1.2.840.113556.1.4.803:=2)))',
      '(&(uid=bob)(!(userAccountControl:1.2.840.113556.1.4.803:=2)))',
      '(&(mail=bob)(!(userAccountControl:1.2.840.113556.1.4.803:=2)))',
    ],
    [
      '(&(uid={username})(memberOf=cn=a\\2cb,dc=x))',
      '(&(uid=bob)(memberOf=cn=a,b,dc=x))',
      '(&(mail=bob)(memberOf=cn=a,b,dc=x))',
    ],
    [
      '(&(uid={username})(cn=a*b*c)(sn=*)(x>=1)(y<=2)(z~=3))',
      '(&(uid=bob)(cn=a*b*c)(sn=*)(x>=1)(y<=2)(z~=3))',
      '(&(mail=bob)(cn=a*b*c)(sn=*)(x>=1)(y<=2)(z~=3))',
    ],
    ['(cn:dn:caseExactMatch:={username})', '(cn:dn:caseExactMatch:=bob)', '(mail:dn:caseExactMatch:=bob)'],
  ])('%s is filled in', (text, login, email) => {
    expect(filterText(template(text).forLogin('bob'))).toBe(login);
    expect(filterText(template(text).forEmail('bob'))).toBe(email);
  });

  it.each([
    '',
    '()',
    '(uid=alice)',
    '(uid={username}',
    'uid={username})',
    '(uid={username})(cn=a)',
    '(uid={username}))',
    '(&)',
    '(&(uid={username})',
    '(!(uid={username})(cn=a))',
    '(={username})',
    '({username}=a)',
    '(a b={username})',
    '(uid={username}*)',
    '(uid=*{username}*)',
    '(uid=a**{username})',
    '(uid=\\zz{username})',
    '(uid=\\2{username})',
    '(uid=\\ff{username})',
    '(uid:={username}:=)x',
    '(:={username})',
    `${'(!'.repeat(40)}(uid={username})${')'.repeat(40)}`,
    `(uid={username}${'x'.repeat(5000)})`,
  ])('%j is refused', (text) => {
    expect(() => template(text)).toThrow();
  });
});

describe('a login in a filter', () => {
  const templates = [
    '({username_attr}={username})',
    '(uid={username})',
    '(&(objectClass=person)(|(uid={username})(cn={username}))(!(st=x)))',
  ].map(template);
  // The filter with a simple login: no login may change its structure.
  const shapeOf = (filter: AskedFilter, login: Buffer): unknown => {
    if (filter.kind === 'and' || filter.kind === 'or')
      return { kind: filter.kind, of: filter.of.map((filter) => shapeOf(filter, login)) };
    if (filter.kind === 'not') return { kind: 'not', of: shapeOf(filter.of, login) };
    if (filter.kind === 'equal')
      return { ...filter, value: filter.value.equals(login) ? 'the login' : filter.value.toString() };
    return filter;
  };
  const shapes = templates.map((template) =>
    shapeOf(overTheWire(template.forLogin('some-login')), Buffer.from('some-login')),
  );
  const staysAValue = (login: string): void => {
    for (const [index, value] of templates.entries()) {
      expect(shapeOf(overTheWire(value.forLogin(login)), Buffer.from(login))).toEqual(shapes[index]);
    }
  };

  it.each([
    '*',
    '**',
    'bob)(uid=alice',
    'bob)(|(uid=*',
    '*)(uid=*))(|(uid=*',
    '\\2a',
    '\\',
    '(',
    ')',
    '{username}',
    '{username_attr}',
    '&',
    '|',
    '!',
    'a\0b',
    '=',
    '\u{1f600}',
    '\u202eevil',
    'x'.repeat(65_536),
  ])('stays one value: %#', (login) => {
    staysAValue(login);
  });

  // A million cases take minutes; larger in long runs.
  const runs = Number(process.env['GENERATED_LOGINS'] ?? 2500);
  it('remains a single value for any login', () => {
    const unit = fc.oneof(
      fc.constantFrom(...Array.from('()*\\&|!=<>~:{}\0 ')),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    );
    fc.assert(
      fc.property(
        fc.string({ unit, maxLength: 20 }).filter((login) => login !== '' && login.isWellFormed()),
        staysAValue,
      ),
      { numRuns: runs },
    );
  });

  it('is shown with its special characters escaped', () => {
    expect(filterText(template('(uid={username})').forLogin('a(b)c*d\\e\0f'))).toBe('(uid=a\\28b\\29c\\2ad\\5ce\\00f)');
  });

  it('is rejected when it is empty, too long, ill-formed or contains characters that a directory ignores', () => {
    for (const login of [
      '',
      ' ',
      'a\0',
      'a\r',
      '\u0085',
      'a\u200bb',
      'a\u2028b',
      'a\ufe0fb',
      'x'.repeat(257),
      '\ud800',
    ])
      expect(isLogin(login)).toBe(false);
    for (const login of ['alice', 'a b', 'é', '\u{1f600}', 'a@b.c', '*']) expect(isLogin(login)).toBe(true);
  });
});

describe('the encoding of a filter', () => {
  // The same bytes as those of ldapts 9.2.0, an independent implementation.
  it.each([
    ['(uid={username})', 'a30a04037569640403626f62'],
    ['(&(uid={username})(cn=a*b*c))', 'a01da30a04037569640403626f62a40f0402636e3009800161810162820163'],
    [
      '(|(uid={username})(sn=*)(cn=*x)(cn=y*))',
      'a126a30a04037569640403626f628702736ea4090402636e3003820178a4090402636e3003800179',
    ],
    ['(!(uid={username}))', 'a20ca30a04037569640403626f62'],
    [
      '(&(uid={username})(a>=1)(b<=2)(c~=3))',
      'a024a30a04037569640403626f62a506040161040131a606040162040132a806040163040133',
    ],
    ['(cn:dn:caseExactMatch:={username})', 'a91c810e6361736545786163744d617463688202636e8303626f628401ff'],
    ['(:caseExactMatch:={username})', 'a915810e6361736545786163744d617463688303626f62'],
  ])('follows RFC 4511: %s', (text, bytes) => {
    expect(encodeFilter(template(text).forLogin('bob')).toString('hex')).toBe(bytes);
  });
});
