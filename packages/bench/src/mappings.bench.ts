import { compileMappings } from '@overtone/directory';
import { quantile, type Bench } from './bench.ts';

const goalMs = 5;
const mapped = 10_000;
const asserted = 1_000;

function groupDn(i: number): string {
  return `CN=Group ${i} Team,OU=Groups,OU=Site ${i % 40},DC=corp,DC=example,DC=org`;
}

// One in ten names is escaped, has spaces or accents and must be parsed.
function awkwardDn(i: number): string {
  return String.raw`cn=Groupe n\c2\b0 ${i}, Équipe+ou=x ,  dc=corp,dc=example`;
}

function claimOf(i: number): string {
  return i % 10 === 0 ? awkwardDn(i) : groupDn(i);
}

/** Resolves the groups of one sign-in against all mappings; all sign-ins have different groups. */
export const mappingsBench: Bench = {
  name: 'mappings',
  about: `${asserted} claims against ${mapped} mappings, compared with a look-up of their lower-case text`,
  run: async function* ({ size }) {
    const rules = Array.from({ length: mapped }, (_, i) => ({
      claimValue: claimOf(i),
      groupId: `group ${i}`,
      grantsRole: i % 100 === 0 ? ('admin' as const) : null,
    }));
    const index = compileMappings('ldap', rules);
    const plain = new Map(rules.map((rule) => [rule.claimValue.toLowerCase(), rule]));
    const ours: number[] = [];
    const peers: number[] = [];
    for (let round = 0; round < Math.round(2_000 * size); round++) {
      const claims = Array.from({ length: asserted }, (_, i) => claimOf((round * 577 + i * 31) % (mapped * 4)));
      const begun = performance.now();
      index.resolve(claims);
      const between = performance.now();
      claims.filter((claim) => plain.has(claim.toLowerCase()));
      peers.push(performance.now() - between);
      ours.push(between - begun);
    }
    const [our, peer] = [quantile(ours, 0.99), quantile(peers, 0.99)];
    yield* [
      {
        name: `mappings: ${asserted} claims against ${mapped}, p99`,
        ours: `${our.toFixed(2)} ms`,
        peer: `text look-up ${peer.toFixed(2)} ms`,
        goal: `<= ${goalMs} ms`,
        met: our <= goalMs,
      },
    ];
  },
};
