import { groupLdif, personLdif } from '@overtone/testkit';

/** Number of groups of each person. */
const groupsEach = 5;
const base = 'dc=example,dc=org';

/** A generated company: each person is in five teams, and all teams are in the staff group. */
export type Company = ReturnType<typeof companyOf>;

export function companyOf(people: number) {
  const teams = Math.max(groupsEach, Math.round(people / 100));
  const teamsOf = (n: number): number[] => Array.from({ length: groupsEach }, (_, i) => (n * 7 + i * 13) % teams);
  const membersOf = (): string[][] => {
    const members: string[][] = Array.from({ length: teams }, () => []);
    for (let n = 0; n < people; n++) for (const team of teamsOf(n)) members[team]?.push(dnOf(n));
    return members;
  };
  const person = (n: number): string =>
    personLdif(nameOf(n), [`entryUUID: ${idOf(n)}`, ...teamsOf(n).map((team) => `memberOf: ${teamDn(team)}`)]);
  const all = Array.from({ length: teams }, (_, n) => teamDn(n));
  return {
    people,
    teams,
    memberships: people * groupsEach,
    staffDn: `cn=Staff,ou=groups,${base}`,
    teamDn,
    /** The LDIF with explicit `memberOf`, because overlays do not process an offline import. */
    ldif: (): string => {
      const lines: string[] = [];
      for (let n = 0; n < people; n++) lines.push(person(n));
      for (const [n, members] of membersOf().entries()) lines.push(groupLdif(`Team ${n}`, members));
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

function dnOf(n: number): string {
  return `uid=${nameOf(n)},ou=people,${base}`;
}

function nameOf(n: number): string {
  return `u${n}`;
}

function idOf(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
}

function teamDn(n: number): string {
  return `cn=Team ${n},ou=groups,${base}`;
}
