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
      (context) => {
        const body = json<BodyOf<typeof groupRoutes.createGroup>>(context);
        const group = newGroup(body.name, body.description ?? '');
        groups.push(group);
        return group;
      },
    ],
    ['GET', /^\/api\/groups\/[^/]+$/, (context) => find(groups, context.parts[2])],
    ['PUT', /^\/api\/groups\/[^/]+$/, (context) => Object.assign(find(groups, context.parts[2]), json(context))],
    ['DELETE', /^\/api\/groups\/[^/]+$/, (context) => take(groups, context.parts[2])],
    [
      'POST',
      /^\/api\/groups\/[^/]+\/members$/,
      (context) => {
        const group = find(groups, context.parts[2]);
        const added = member(find(users, json<{ user_uuid: string }>(context).user_uuid), 'manual');
        group.members.push(added);
        counted(group);
        return added;
      },
    ],
    [
      'PUT',
      /^\/api\/groups\/[^/]+\/members\/[^/]+$/,
      (context) =>
        Object.assign(
          find(groups, context.parts[2]).members.find((m) => m.user_id === context.parts[4]) ?? {},
          json(context),
        ),
    ],
    [
      'DELETE',
      /^\/api\/groups\/[^/]+\/members\/[^/]+$/,
      (context) => {
        const group = find(groups, context.parts[2]);
        group.members = group.members.filter((m) => m.user_id !== context.parts[4]);
        counted(group);
      },
    ],
    ['GET', /^\/api\/admin\/group-mappings$/, () => mappings],
    [
      'POST',
      /^\/api\/admin\/group-mappings$/,
      (context) => {
        const body = json<BodyOf<typeof mappingRoutes.createMapping>>(context);
        map(body.source, body.claim_value, groups.find((g) => g.uuid === body.group_uuid) ?? null, null);
        return Object.assign(mappings.at(-1) as Mapping, { grants_role: body.grants_role ?? null });
      },
    ],
    ['POST', /^\/api\/admin\/group-mappings\/test$/, (context) => testMappings(context, mappings)],
    [
      'PUT',
      /^\/api\/admin\/group-mappings\/[^/]+$/,
      (context) => Object.assign(find(mappings, context.parts[3]), json(context)),
    ],
    ['DELETE', /^\/api\/admin\/group-mappings\/[^/]+$/, (context) => take(mappings, context.parts[3])],
  ];
};

const testMappings = (context: Context, mappings: readonly Mapping[]): AnswerOf<typeof mappingRoutes.testMappings> => {
  const { source, claim_values = ['cn=archive,ou=groups,dc=example,dc=org', 'cn=staff,dc=example,dc=org'] } = json<{
    source: Mapping['source'];
    claim_values?: string[];
  }>(context);
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
