import { describe, expect, it } from '@jest/globals';
import { testSeed } from '@overtone/testkit/seed';
import * as fc from 'fast-check';
import { ldapClaimKey } from '../dn/claim-key.ts';
import { tryCanonicalDn } from '../dn/dn.ts';
import {
  compileMappings,
  reconcileAccount,
  type Asserted,
  type ClaimSource,
  type MappedAccount,
  type MappingIndex,
  type MappingRule,
} from './group-mapping.ts';

fc.configureGlobal({ seed: testSeed });

const sources = ['ldap', 'oidc', 'proxy'] as const;

function toGroup(claimValue: string, groupId: string): MappingRule {
  return { claimValue, groupId, grantsRole: null };
}

function toRole(claimValue: string, grantsRole: 'user' | 'admin'): MappingRule {
  return {
    claimValue,
    groupId: null,
    grantsRole,
  };
}

function groupsOf(source: ClaimSource, mapped: string, claim: string) {
  return compileMappings(source, [toGroup(mapped, 'g')]).resolve([claim]).groupIds;
}

describe('claim matching', () => {
  it.each([
    ['another case', 'CN=Staff,DC=corp', 'cn=staff,dc=CORP'],
    ['spaces around separators', 'CN=Staff, DC=corp', 'cn = Staff,dc=corp'],
    ['several spaces inside a value', 'CN=Big  Staff,DC=corp', 'cn=Big Staff,dc=corp'],
    ['an escape in hexadecimal', String.raw`CN=A\2CB,DC=corp`, String.raw`cn=A\,B,dc=corp`],
    ['a type by its OID', '2.5.4.3=Staff,DC=corp', 'cn=Staff,dc=corp'],
    ['a set in another order', 'CN=Staff+OU=x,DC=corp', 'ou=x+cn=Staff,dc=corp'],
    ['full width letters', 'CN=Ｓtaff,DC=corp', 'cn=staff,dc=corp'],
    ['letters beyond ASCII', 'CN=ÄRZTE,DC=corp', 'cn=ärzte,dc=corp'],
  ])('LDAP claim values compare as names: %s', (_what, mapped, claim) => {
    expect(groupsOf('ldap', mapped, claim)).toEqual(['g']);
  });

  it('compares LDAP claim values that are no DN case-insensitively', () => {
    expect(groupsOf('ldap', 'Staff', 'sTAFF')).toEqual(['g']);
    expect(groupsOf('ldap', 'Staff', 'cn=Staff')).toEqual([]);
  });

  it.each(['CN=Staff,OU=x,DC=corp', 'cn=staffs,dc=corp', 'cn=sta ff,dc=corp', 'cn=staff', ''])(
    'LDAP claim values of another entry do not match: %j',
    (claim) => {
      expect(groupsOf('ldap', 'CN=Staff,DC=corp', claim)).toEqual([]);
    },
  );

  it.each(['oidc', 'proxy'] as const)('compares %s claim values verbatim and case-sensitively', (source) => {
    expect(groupsOf(source, 'Staff', 'Staff')).toEqual(['g']);
    for (const other of ['staff', ' Staff', 'Staff ', 'Ｓtaff', 'Staff\u200b']) {
      expect(groupsOf(source, 'Staff', other)).toEqual([]);
    }
    expect(groupsOf(source, 'CN=Staff,DC=corp', 'cn=Staff,dc=corp')).toEqual([]);
  });

  it('handles claims with the names of object properties', () => {
    for (const source of sources) {
      expect(compileMappings(source, [toGroup('x', 'g')]).resolve(['__proto__', 'constructor'])).toMatchObject({
        matched: [],
        unmatched: ['__proto__', 'constructor'],
      });
    }
  });

  it('canonicalises a simple name like the parser', () => {
    const word = fc.stringMatching(/^[A-Za-z0-9_.-]{1,6}$/);
    const value = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '));
    const rdn = fc.tuple(fc.constantFrom('cn', 'CN', 'Ou', 'DC', 'o', 'uid'), value).map((pair) => pair.join('='));
    const name = fc.array(rdn, { minLength: 1, maxLength: 5 }).map((rdns) => rdns.join(','));
    fc.assert(fc.property(name, (dn) => expect(ldapClaimKey(dn)).toBe(`dn:${tryCanonicalDn(dn)}`)));
  });

  it('has one canonical key for every text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const dn = tryCanonicalDn(text);
        expect(ldapClaimKey(text).startsWith(dn === undefined ? 'text:' : `dn:${dn}`)).toBe(true);
        expect(ldapClaimKey(text)).toBe(ldapClaimKey(text));
      }),
    );
  });
});

describe('claim resolution', () => {
  it('reports matched and unmatched claims once, in the asserted order', () => {
    const index = compileMappings('oidc', [toGroup('b', 'g1'), toRole('c', 'user')]);
    expect(index.resolve(['c', 'x', 'b', 'c', 'y', 'x'])).toEqual({
      matched: ['c', 'b'],
      unmatched: ['x', 'y'],
      groupIds: ['g1'],
      grantsRole: 'user',
    });
  });

  it('returns the group, the role, or both', () => {
    const index = compileMappings('ldap', [{ claimValue: 'both', groupId: 'g', grantsRole: 'admin' }]);
    expect(index.resolve(['BOTH'])).toMatchObject({ groupIds: ['g'], grantsRole: 'admin' });
  });

  it('returns the highest role of the matched mappings, at most admin', () => {
    const index = compileMappings('oidc', [toRole('u', 'user'), toRole('a', 'admin')]);
    expect(index.resolve(['a', 'u']).grantsRole).toBe('admin');
    expect(index.resolve(['u']).grantsRole).toBe('user');
    expect(index.resolve(['z']).grantsRole).toBeNull();
  });

  it('merges mappings with two spellings of one name', () => {
    const index = compileMappings('ldap', [toGroup('cn=a,dc=b', 'g1'), toGroup('CN = a, DC=b', 'g2')]);
    expect(index.resolve(['cn=A,dc=B']).groupIds).toEqual(['g1', 'g2']);
  });

  it('distinguishes a source that never had a mapping from one whose mappings were deleted', () => {
    expect(compileMappings('ldap', [])).toMatchObject({ configured: false, everConfigured: false });
    expect(compileMappings('ldap', [], true)).toMatchObject({ configured: false, everConfigured: true });
    expect(compileMappings('ldap', [toRole('a', 'user')])).toMatchObject({ configured: true, everConfigured: true });
  });
});

// A small vocabulary with several spellings, so that mappings and claims often match.
const claimValue = fc.constantFrom('cn=a,dc=x', 'CN=A, DC=X', 'cn=b,dc=x', 'a', 'A', 'b', 'B', 'ß', 'ẞ', '', 'c');
const rule = fc.record({
  claimValue,
  groupId: fc.constantFrom(null, 'g1', 'g2', 'g3'),
  grantsRole: fc.constantFrom(null, 'user' as const, 'admin' as const),
});
const world = fc.record({
  source: fc.constantFrom(...sources),
  rules: fc.array(rule, { maxLength: 12 }),
  claims: fc.array(claimValue, { maxLength: 8 }),
});

function asSets(result: ReturnType<ReturnType<typeof compileMappings>['resolve']>) {
  return {
    matched: [...result.matched].sort(),
    unmatched: [...result.unmatched].sort(),
    groupIds: result.groupIds,
    grantsRole: result.grantsRole,
  };
}

describe('claim resolution over random mappings and claims', () => {
  it('does not depend on the order of mappings and claims', () => {
    const shuffled = world.chain((wanted) =>
      fc.record({
        first: fc.constant(wanted),
        rules: fc.shuffledSubarray(wanted.rules, { minLength: wanted.rules.length }),
        claims: fc.shuffledSubarray(wanted.claims, { minLength: wanted.claims.length }),
      }),
    );
    fc.assert(
      fc.property(shuffled, ({ first, rules, claims }) => {
        const attribute = compileMappings(first.source, first.rules).resolve(first.claims);
        const byte = compileMappings(first.source, rules).resolve(claims);
        expect(asSets(byte)).toEqual(asSets(attribute));
      }),
    );
  });

  it('is idempotent, and matched claims alone have the same result', () => {
    fc.assert(
      fc.property(world, ({ source, rules, claims }) => {
        const index = compileMappings(source, rules);
        const once = index.resolve(claims);
        expect(index.resolve(claims)).toEqual(once);
        expect(index.resolve(once.matched)).toEqual({ ...once, unmatched: [] });
        expect(index.resolve(once.unmatched)).toMatchObject({ matched: [], groupIds: [], grantsRole: null });
      }),
    );
  });

  it('returns the union of the results for two lists', () => {
    fc.assert(
      fc.property(world, fc.array(claimValue), ({ source, rules, claims }, others) => {
        const index = compileMappings(source, rules);
        const [attribute, byte, both] = [claims, others, [...claims, ...others]].map(
          (list) => index.resolve(list).groupIds,
        );
        expect(both).toEqual([...new Set([...(attribute ?? []), ...(byte ?? [])])].sort());
      }),
    );
  });

  it('returns nothing without mappings', () => {
    fc.assert(
      fc.property(world, ({ source, claims }) => {
        expect(compileMappings(source, []).resolve(claims)).toMatchObject({
          matched: [],
          groupIds: [],
          grantsRole: null,
        });
      }),
    );
  });

  it('equals a comparison of every mapping with every claim', () => {
    const equal = (source: ClaimSource, text: string, byte: string) => {
      if (source !== 'ldap') return text === byte;
      const [x, y] = [tryCanonicalDn(text), tryCanonicalDn(byte)];
      return x === undefined ? y === undefined && text.toLowerCase() === byte.toLowerCase() : x === y;
    };
    fc.assert(
      fc.property(world, ({ source, rules, claims }) => {
        const hits = rules.filter((rule) => claims.some((claim) => equal(source, rule.claimValue, claim)));
        const found = compileMappings(source, rules).resolve(claims);
        expect(new Set(found.groupIds)).toEqual(new Set(hits.flatMap((hit) => hit.groupId ?? [])));
        const roles = new Set(hits.map((hit) => hit.grantsRole));
        expect(found.grantsRole).toBe(roles.has('admin') ? 'admin' : roles.has('user') ? 'user' : null);
      }),
    );
  });
});

// Every cell of: source x account type x role x occasion x mappings x claims x admin setting.
const mappingCases = ['never', 'deleted', 'user', 'admin', 'group'] as const;
const cells = (['ldap', 'oidc', 'proxy'] as const).flatMap((source) =>
  (['local', 'ldap', 'oidc', 'pki', 'proxy'] as const).flatMap((authType) =>
    (['user', 'admin', 'super_admin'] as const).flatMap((role) =>
      (['sign_in', 'sync'] as const).flatMap((by) =>
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
  const untouched = cell.authType === 'local' || (cell.by === 'sync' && cell.role === 'super_admin');
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
