import { describe, expect, it } from '@jest/globals';
import { parseDnList } from './dn-list.ts';
import { splitDns } from '@overtone/contracts/dn-text';

const cases: readonly [string, readonly string[]][] = [
  ['', []],
  [' \n ; , ', []],
  ['cn=a,dc=x', ['cn=a,dc=x']],
  ['cn=a,dc=x;cn=b,dc=x', ['cn=a,dc=x', 'cn=b,dc=x']],
  ['cn=a,dc=x\ncn=b,dc=x', ['cn=a,dc=x', 'cn=b,dc=x']],
  ['cn=a,dc=x\r\ncn=b,dc=x\r\n', ['cn=a,dc=x', 'cn=b,dc=x']],
  ['cn=a,dc=x,cn=b,dc=x', ['cn=a,dc=x', 'cn=b,dc=x']],
  ['cn=a,dc=x, cn=b,dc=x', ['cn=a,dc=x', 'cn=b,dc=x']],
  ['cn=a,ou=g,dc=x,dc=y,cn=b,ou=g,dc=x,dc=y', ['cn=a,ou=g,dc=x,dc=y', 'cn=b,ou=g,dc=x,dc=y']],
  ['CN=a,DC=x,CN=b,DC=x', ['CN=a,DC=x', 'CN=b,DC=x']],
  ['cn=a,o=Big,c=DE,cn=b,o=Big,c=DE', ['cn=a,o=Big,c=DE', 'cn=b,o=Big,c=DE']],
  ['cn=a,o=uni,l=berlin,st=be,c=de', ['cn=a,o=uni,l=berlin,st=be,c=de']],
  ['cn=a,ou=x,ou=y,dc=x', ['cn=a,ou=x,ou=y,dc=x']],
  [
    '2.5.4.3=a,0.9.2342.19200300.100.1.25=x,2.5.4.3=b,dc=x',
    ['2.5.4.3=a,0.9.2342.19200300.100.1.25=x', '2.5.4.3=b,dc=x'],
  ],
  ['cn=a\\,b,dc=x,cn=c,dc=x', ['cn=a\\,b,dc=x', 'cn=c,dc=x']],
  ['cn=a\\;b,dc=x', ['cn=a\\;b,dc=x']],
  ['cn="a;b,c",dc=x;cn=d,dc=x', ['cn="a;b,c",dc=x', 'cn=d,dc=x']],
  ['cn=a+uid=b,dc=x,cn=c,dc=x', ['cn=a+uid=b,dc=x', 'cn=c,dc=x']],
  ['cn=a,dc=x;;cn=b,dc=x;', ['cn=a,dc=x', 'cn=b,dc=x']],
  ['cn=a,dc=x,', ['cn=a,dc=x']],
  ['cn=a,dc=x,;,cn=b,dc=x', ['cn=a,dc=x', 'cn=b,dc=x']],
  ['cn=a,dc=x;CN=A, DC=X', ['cn=a,dc=x']],
  ['cn=a\\ ,dc=x', ['cn=a\\ ,dc=x']],
  ['dc=a,dc=b', ['dc=a,dc=b']],
  ['cn=a,oid.2.5.4.10=e,cn=b,o=e', ['cn=a,oid.2.5.4.10=e', 'cn=b,o=e']],
];

describe('list of distinguished names', () => {
  it.each(cases)('%j is split into %j', (text, dns) => {
    expect(parseDnList(text)).toEqual({ dns, faults: [] });
  });

  it('reports invalid names and keeps the others', () => {
    const { dns, faults } = parseDnList('staff;cn=a,dc=x;cn="b;dc=x');
    expect(dns).toEqual(['cn=a,dc=x']);
    expect(faults).toHaveLength(2);
    expect(faults[0]).toMatch(/"staff" is no distinguished name/);
  });

  it('has the same result when each name is on its own line', () => {
    const dns = splitDns('cn=a\\,b,dc=x,cn=c,dc=x;ou=d,o=e');
    expect(splitDns(dns.join('\n'))).toEqual(dns);
  });
});
