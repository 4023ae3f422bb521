import { groupLdif, personLdif } from '@overtone/testkit';

/** Number of groups of each person. */
const groupsEach = 5;
const base = 'dc=example,dc=org';

/** A generated company: each person is in five teams, and all teams are in the staff group. */
export type Company = ReturnType<typeof companyOf>;

export function companyOf(people: number) {
  const teams = Math.max(groupsEach, Math.round(people / 100));
  const teamsOf = (value: number): number[] =>
    Array.from({ length: groupsEach }, (_, i) => (value * 7 + i * 13) % teams);
  const membersOf = (): string[][] => {
    const members: string[][] = Array.from({ length: teams }, () => []);
    for (let index = 0; index < people; index++) for (const team of teamsOf(index)) members[team]?.push(dnOf(index));
    return members;
  };
  const person = (value: number): string =>
    personLdif(nameOf(value), [
      `entryUUID: ${idOf(value)}`,
      ...teamsOf(value).map((team) => `memberOf: ${teamDn(team)}`),
    ]);
  const all = Array.from({ length: teams }, (_, index) => teamDn(index));
  return {
    people,
    teams,
    memberships: people * groupsEach,
    staffDn: `cn=Staff,ou=groups,${base}`,
    teamDn,
    /** The LDIF with explicit `memberOf`, because overlays do not process an offline import. */
    ldif: (): string => {
      const lines: string[] = [];
      for (let index = 0; index < people; index++) lines.push(person(index));
      for (const [key, members] of membersOf().entries()) lines.push(groupLdif(`Team ${key}`, members));
      lines.push(groupLdif('Staff', all));
      return lines.join('\n');
    },
    /** SQL that creates all accounts like first sign-ins. */
    accounts: `insert into "user" (email, full_name, auth_type, ldap_uid, directory_id)
      select 'u' || n || '@example.org', 'Person u' || n, 'ldap', 'u' || n,
             'entryUUID:00000000-0000-4000-8000-' || lpad(n::text, 12, '0')
      from generate_series(0, $1::int - 1) n on conflict do nothing`,
  };
}

function dnOf(value: number): string {
  return `uid=${nameOf(value)},ou=people,${base}`;
}

function nameOf(value: number): string {
  return `u${value}`;
}

function idOf(value: number): string {
  return `00000000-0000-4000-8000-${String(value).padStart(12, '0')}`;
}

function teamDn(value: number): string {
  return `cn=Team ${value},ou=groups,${base}`;
}
