import { describe, expect, it } from '@jest/globals';
import { createReach } from './snapshot-groups.ts';

function dn(name: string) {
  return `cn=${name},ou=groups,dc=example,dc=org`;
}

function person(value: number) {
  return `uid=u${value},ou=people,dc=example,dc=org`;
}

function group(name: string, members: string[]) {
  return { dn: dn(name), members, logins: [], sid: null };
}

const groups = [
  group('staff', [dn('teams'), person(1)]),
  group('teams', [dn('red'), dn('STAFF'), person(2)]),
  group('red', [person(3), person(4)]),
  group('other', [person(5)]),
];

describe('ancestor groups', () => {
  it('are the same with and without the list of all group names', () => {
    const [plain, withNames] = [false, true].map((named) => {
      const building = createReach({ wanted: [dn('staff')], nested: true, byMember: false });
      if (named) building.expect(groups.map((group) => group.dn));
      for (const group of groups) building.add(group);
      return building.done();
    });
    for (const { dn: from } of groups) expect(withNames?.fromGroup(from)).toEqual(plain?.fromGroup(from));
    expect(withNames?.fromGroup(dn('Red'))).toEqual([dn('staff')]);
    expect(withNames?.fromGroup(dn('other'))).toEqual([]);
  });

  it('are unknown when a group was not in the list of names', () => {
    const building = createReach({ wanted: [dn('staff')], nested: true, byMember: false });
    building.expect([dn('staff')]);
    expect(() => building.add(group('new', []))).toThrow('Groups were made while they were read');
  });
});
