import { describe, expect, it } from '@jest/globals';
import { testSeed } from '@overtone/testkit/seed';
import * as fc from 'fast-check';
import { closure, invertGroups, type GroupEntry } from './group-graph.ts';
import { createHealth } from '../wire/health.ts';

fc.configureGlobal({ seed: testSeed });

function dn(value: number): string {
  return `cn=g${value},dc=x`;
}

describe('nested groups', () => {
  it('are found independent of the spelling of their names', () => {
    const graph = invertGroups([
      { dn: 'cn=a,dc=x', members: ['uid=p,dc=x'] },
      { dn: 'cn=b,dc=x', members: ['CN=A, DC=X'] },
      { dn: 'cn=c,dc=x', members: ['2.5.4.3=B,dc=x'] },
    ]);
    expect(closure(graph, ['cn=A,dc=x'])).toEqual(['cn=A,dc=x', 'cn=b,dc=x', 'cn=c,dc=x']);
  });

  it('equal the result of repeated look-ups for any graph, including cycles', () => {
    const edges = fc.array(fc.tuple(fc.nat({ max: 12 }), fc.nat({ max: 12 })), { maxLength: 40 });
    fc.assert(
      fc.property(edges, fc.nat({ max: 12 }), (pairs, start) => {
        const groups: GroupEntry[] = Array.from({ length: 13 }, (_, index) => ({
          dn: dn(index),
          members: pairs.filter(([parent]) => parent === index).map(([, child]) => dn(child)),
        }));
        let expected = new Set([start]);
        for (let size = 0; size !== expected.size;) {
          size = expected.size;
          expected = new Set([
            ...expected,
            ...pairs.filter(([, child]) => expected.has(child)).map(([parent]) => parent),
          ]);
        }
        expect(new Set(closure(invertGroups(groups), [dn(start)]))).toEqual(new Set([...expected].map(dn)));
      }),
      { numRuns: 1000 },
    );
  });

  it('can be ten thousand levels deep', () => {
    const groups = Array.from({ length: 10_000 }, (_, index) => ({
      dn: dn(index),
      members: index === 0 ? [dn(9999)] : [dn(index - 1)],
    }));
    expect(closure(invertGroups(groups), [dn(5)])).toHaveLength(10_000);
  });
});

describe('failed servers', () => {
  it('are ordered last until the end of their backoff, which grows with every failure', () => {
    let now = 0;
    const health = createHealth(['a', 'b', 'c'], () => now);
    expect(health.order()).toEqual(['a', 'b', 'c']);
    health.failed('a');
    expect(health.order()).toEqual(['b', 'c', 'a']);
    now = 15_000;
    expect(health.order()).toEqual(['a', 'b', 'c']);
    health.failed('a');
    now = 30_000;
    expect(health.order()).toEqual(['b', 'c', 'a']);
    health.worked('a');
    expect(health.order()).toEqual(['a', 'b', 'c']);
  });

  it('are still tried when all have failed', () => {
    const health = createHealth(['a', 'b'], () => 0);
    health.failed('a');
    health.failed('b');
    expect(health.order()).toEqual(['a', 'b']);
  });
});
