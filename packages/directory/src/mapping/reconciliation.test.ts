import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { compileMappings, type MappingIndex } from './group-mapping.ts';
import { reconcileAccount, type Asserted, type MappedAccount } from './reconciliation.ts';

// Every cell of: source x account type x role x occasion x mappings x claims x admin setting.
const mappingCases = ['never', 'deleted', 'user', 'admin', 'group'] as const;
const cells = (['ldap', 'oidc', 'proxy'] as const).flatMap((source) =>
  (['local', 'ldap', 'oidc', 'pki', 'proxy'] as const).flatMap((authType) =>
    (['user', 'admin', 'super_admin'] as const).flatMap((role) =>
      (['sign_in', 'sweep'] as const).flatMap((by) =>
        mappingCases.flatMap((mappings) =>
          (['match', 'other', 'empty', 'unknown'] as const).flatMap((claims) =>
            (['yes', 'no', 'unknown'] as const).map((legacyAdmin) => ({
              source,
              authType,
              role,
              by,
              mappings,
              claims,
              legacyAdmin,
            })),
          ),
        ),
      ),
    ),
  ),
);
type Cell = (typeof cells)[number];

function indexOf({ source, mappings }: Pick<Cell, 'source' | 'mappings'>): MappingIndex {
  const grants = { user: ['user', null], admin: ['admin', null], group: [null, 'g'] } as const;
  if (mappings === 'never' || mappings === 'deleted') return compileMappings(source, [], mappings === 'deleted');
  const [grantsRole, groupId] = grants[mappings];
  return compileMappings(source, [{ claimValue: 'claim', groupId, grantsRole }]);
}

function claimsOf(claims: Cell['claims']): Asserted['claims'] {
  return claims === 'unknown'
    ? { known: false, reason: 'overage' }
    : { known: true, values: { match: ['claim'], other: ['x'], empty: [] }[claims] };
}

function decide(cell: Cell) {
  return reconcileAccount(indexOf(cell), { role: cell.role, authType: cell.authType } satisfies MappedAccount, {
    claims: claimsOf(cell.claims),
    legacyAdmin: cell.legacyAdmin,
    by: cell.by,
  });
}

/** The rules of the specification, written down a second time as a list of the first that applies. */
function modelRole(cell: Cell): Cell['role'] {
  const never = cell.mappings === 'never';
  const rules: [boolean, Cell['role']][] = [
    [cell.authType === 'local' || cell.role === 'super_admin', cell.role],
    [cell.source === 'proxy' && (never || cell.claims === 'unknown'), cell.role],
    [cell.legacyAdmin === 'yes', 'admin'],
    [cell.mappings === 'admin' && cell.claims === 'match', 'admin'],
    [cell.legacyAdmin === 'unknown', cell.role],
    [cell.claims === 'unknown' && !never && cell.mappings !== 'deleted', cell.role],
  ];
  return rules.find(([applies]) => applies)?.[1] ?? 'user';
}

function modelGroups(cell: Cell): string[] | null {
  const untouched = cell.authType === 'local' || (cell.by === 'sweep' && cell.role === 'super_admin');
  if (untouched || cell.mappings === 'never' || cell.claims === 'unknown') return null;
  return cell.mappings === 'group' && cell.claims === 'match' ? ['g'] : [];
}

describe('the role table', () => {
  it('is enumerated completely and agrees with the reference model in every cell', () => {
    expect(cells).toHaveLength(3 * 5 * 3 * 2 * 5 * 4 * 3);
    for (const cell of cells) {
      expect({ cell, decided: decide(cell) }).toEqual({
        cell,
        decided: { role: modelRole(cell), groupIds: modelGroups(cell) },
      });
    }
  });

  it('never makes a super_admin, and never unmakes one', () => {
    for (const cell of cells) {
      expect(decide(cell).role === 'super_admin').toBe(cell.role === 'super_admin');
    }
  });

  it('never grants more after a claim or a signal was removed', () => {
    const rank = { user: 0, admin: 1, super_admin: 2 };
    for (const cell of cells.filter((cell) => cell.claims === 'match' && cell.legacyAdmin === 'yes')) {
      for (const claims of ['other', 'empty', 'unknown'] as const) {
        for (const legacyAdmin of ['no', 'unknown'] as const) {
          expect(rank[decide({ ...cell, claims, legacyAdmin }).role]).toBeLessThanOrEqual(rank[decide(cell).role]);
        }
      }
    }
  });

  it('is stable: a second pass over its own result changes nothing', () => {
    for (const cell of cells) {
      expect(decide({ ...cell, role: decide(cell).role }).role).toBe(decide(cell).role);
    }
  });
});

const ldap = { source: 'ldap', authType: 'ldap', by: 'sign_in' } as const;

function roleOf(cell: Partial<Cell>): Cell['role'] {
  return decide({ ...ldap, role: 'user', mappings: 'group', claims: 'empty', legacyAdmin: 'no', ...cell }).role;
}

describe('how mappings apply', () => {
  it('promotes to admin if any matched mapping grants it', () => {
    expect(roleOf({ mappings: 'admin', claims: 'match' })).toBe('admin');
    expect(roleOf({ mappings: 'user', claims: 'match' })).toBe('user');
  });
  it('promotes on the legacy signal alone', () => {
    expect(roleOf({ legacyAdmin: 'yes' })).toBe('admin');
    expect(roleOf({ legacyAdmin: 'yes', claims: 'unknown' })).toBe('admin');
  });
  it('demotes admin to user when nothing grants it', () => {
    expect(roleOf({ role: 'admin', mappings: 'admin', claims: 'other' })).toBe('user');
  });
  it('lets only the legacy signal decide admin when no mappings are configured', () => {
    expect(roleOf({ mappings: 'never', role: 'admin' })).toBe('user');
    expect(roleOf({ mappings: 'never', legacyAdmin: 'yes' })).toBe('admin');
    expect(
      decide({ ...ldap, role: 'user', mappings: 'never', claims: 'match', legacyAdmin: 'no' }).groupIds,
    ).toBeNull();
  });
  it('demotes no account while the legacy signal or the claims are unknown', () => {
    expect(roleOf({ role: 'admin', legacyAdmin: 'unknown' })).toBe('admin');
    expect(roleOf({ role: 'admin', claims: 'unknown' })).toBe('admin');
  });
  it('never demotes a super_admin', () => {
    expect(roleOf({ role: 'super_admin' })).toBe('super_admin');
  });
  it('lets only the legacy signal decide for a certificate, which has no claims to map', () => {
    const index = compileMappings('pki', []);
    const asserted = { claims: { known: false, reason: 'none' }, by: 'sign_in' } as const;
    const decided = (role: Cell['role'], legacyAdmin: Cell['legacyAdmin']) =>
      reconcileAccount(index, { role, authType: 'pki' }, { ...asserted, legacyAdmin });
    expect(decided('user', 'yes')).toEqual({ groupIds: null, role: 'admin' });
    expect(decided('admin', 'no')).toEqual({ groupIds: null, role: 'user' });
    expect(decided('admin', 'unknown')).toEqual({ groupIds: null, role: 'admin' });
  });
  it('skips a proxy sign-in without the groups header, and reconciles one with an empty header to empty', () => {
    const proxy = { source: 'proxy', authType: 'proxy', by: 'sign_in', role: 'admin', legacyAdmin: 'no' } as const;
    expect(decide({ ...proxy, mappings: 'group', claims: 'unknown' })).toEqual({ groupIds: null, role: 'admin' });
    expect(decide({ ...proxy, mappings: 'group', claims: 'empty' })).toEqual({ groupIds: [], role: 'user' });
  });
});

it('claims without a mapping change no decision', () => {
  const junk = fc.array(fc.string().filter((server) => server.trim().toLowerCase() !== 'claim'));
  fc.assert(
    fc.property(fc.constantFrom(...cells.filter((cell) => cell.claims !== 'unknown')), junk, (cell, more) => {
      const known = claimsOf(cell.claims);
      const values = [...more, ...(known.known ? known.values : [])];
      const decided = reconcileAccount(indexOf(cell), cell, { ...cell, claims: { known: true, values } });
      expect(decided).toEqual(decide(cell));
    }),
  );
});
