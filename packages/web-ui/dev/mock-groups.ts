import type { AnswerOf, BodyOf, groupRoutes, mappingRoutes } from '@overtone/contracts';
import type { Group, Mapping, World } from './mock-world.ts';
import { find, json, take, type Context, type MockRoute } from './mock-kit.ts';

/** Groups, members and group mappings. */
export const groupsMock = ({ users, groups, mappings, map, member, newGroup }: World): MockRoute[] => {
  const counted = (group: Group): Group => Object.assign(group, { member_count: group.members.length });

  return [
    ['GET', /^\/api\/groups$/, () => groups],
    [
      'POST',
      /^\/api\/groups$/,
      (c) => {
        const body = json<BodyOf<typeof groupRoutes.createGroup>>(c);
        const group = newGroup(body.name, body.description ?? '');
        groups.push(group);
        return group;
      },
    ],
    ['GET', /^\/api\/groups\/[^/]+$/, (c) => find(groups, c.parts[2])],
    ['PUT', /^\/api\/groups\/[^/]+$/, (c) => Object.assign(find(groups, c.parts[2]), json(c))],
    ['DELETE', /^\/api\/groups\/[^/]+$/, (c) => take(groups, c.parts[2])],
    [
      'POST',
      /^\/api\/groups\/[^/]+\/members$/,
      (c) => {
        const group = find(groups, c.parts[2]);
        const added = member(find(users, json<{ user_uuid: string }>(c).user_uuid), 'manual');
        group.members.push(added);
        counted(group);
        return added;
      },
    ],
    [
      'PUT',
      /^\/api\/groups\/[^/]+\/members\/[^/]+$/,
      (c) => Object.assign(find(groups, c.parts[2]).members.find((m) => m.user_id === c.parts[4]) ?? {}, json(c)),
    ],
    [
      'DELETE',
      /^\/api\/groups\/[^/]+\/members\/[^/]+$/,
      (c) => {
        const group = find(groups, c.parts[2]);
        group.members = group.members.filter((m) => m.user_id !== c.parts[4]);
        counted(group);
      },
    ],
    ['GET', /^\/api\/admin\/group-mappings$/, () => mappings],
    [
      'POST',
      /^\/api\/admin\/group-mappings$/,
      (c) => {
        const body = json<BodyOf<typeof mappingRoutes.createMapping>>(c);
        map(body.source, body.claim_value, groups.find((g) => g.uuid === body.group_uuid) ?? null, null);
        return Object.assign(mappings.at(-1) as Mapping, { grants_role: body.grants_role ?? null });
      },
    ],
    ['POST', /^\/api\/admin\/group-mappings\/test$/, (c) => tried(c, mappings)],
    ['PUT', /^\/api\/admin\/group-mappings\/[^/]+$/, (c) => Object.assign(find(mappings, c.parts[3]), json(c))],
    ['DELETE', /^\/api\/admin\/group-mappings\/[^/]+$/, (c) => take(mappings, c.parts[3])],
  ];
};

const tried = (c: Context, mappings: readonly Mapping[]): AnswerOf<typeof mappingRoutes.testMappings> => {
  const { source, claim_values = ['cn=archive,ou=groups,dc=example,dc=org', 'cn=staff,dc=example,dc=org'] } = json<{
    source: Mapping['source'];
    claim_values?: string[];
  }>(c);
  const hit = mappings.filter((m) => m.source === source && claim_values.includes(m.claim_value));
  const matched = claim_values.filter((v) => hit.some((m) => m.claim_value === v));
  const grants_role = hit.some((m) => m.grants_role === 'admin') ? 'admin' : null;
  return {
    source,
    claim_values,
    matched_claims: matched,
    unmatched_claims: claim_values.filter((v) => !matched.includes(v)),
    groups: hit.flatMap((m) => (m.group_uuid === null ? [] : [{ uuid: m.group_uuid, name: m.group_name ?? '' }])),
    grants_role,
    legacy_admin: false,
    effective_role: grants_role ?? 'user',
  };
};
