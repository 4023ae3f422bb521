import type { Account } from '../src/plan/plan.ts';
import type { Random } from '@overtone/testkit/seed';
import { base, groupDn, type Entry } from './scripted-directory.ts';

export function idOf(value: number) {
  return `00000000-0000-4000-8000-${String(value).padStart(12, '0')}`;
}

/** Groups of the directory: the required group, the administrators' group, and a group with a mapping. */
const groups = ['staff', 'admins', 'mapped'];

/** A few persons, and accounts for most of them and for some absent persons. Deterministic for a seed. */
export function worldOf(random: Random) {
  const memberOf = random(2) === 0;
  const people = [...Array(3 + random(6)).keys()];
  const memberships = people.map(() => groups.map((_, index) => random(index === 0 ? 5 : 2) > 0));
  const expired = people.map(() => random(6) === 0);
  const dnOf = (value: number) => `uid=user${value},ou=people,${base}`;
  const entries: Entry[] = [
    { dn: base, attributes: { objectClass: ['domain'] } },
    ...people.map((person) => ({
      dn: dnOf(person),
      attributes: {
        objectClass: ['person'],
        uid: [`user${person}`],
        cn: [`User ${person}`],
        mail: [`user${person}@example.org`],
        entryUUID: [idOf(person)],
        ...(expired[person] ? { shadowExpire: ['1'] } : {}),
        ...(memberOf ? { memberOf: groups.filter((_, index) => memberships[person]?.[index]).map(groupDn) } : {}),
      },
    })),
    ...groups.map((name, index) => ({
      dn: groupDn(name),
      attributes: {
        objectClass: ['groupOfNames'],
        member: people.filter((person) => memberships[person]?.[index]).map(dnOf),
      },
    })),
  ];
  const accounts: Account[] = [...people, 50, 51]
    .filter((person) => person >= 50 || random(5) > 0)
    .map((person) => ({
      userId: idOf(500 + person),
      email: `user${person}@example.org`,
      login: `user${person}`,
      directoryId: random(4) === 0 ? null : `entryUUID:${idOf(person)}`,
      authType: random(8) === 0 ? 'local' : 'ldap',
      role: (['user', 'admin', 'super_admin'] as const)[random(3)] ?? 'user',
      active: random(6) > 0,
      disabledBy: null,
      fromDirectory: random(2) === 0 ? [idOf(900)] : [],
      byHand: [],
    }))
    .filter((_, i, all) => i < all.length - random(3));
  return { entries, accounts, pageSize: 1 + random(3), nested: random(2) === 0 };
}

export type World = ReturnType<typeof worldOf>;
