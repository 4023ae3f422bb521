import { describe, expect, it } from '@jest/globals';
import type { SnapshotPerson } from '@overtone/directory';
import { testSeed } from '@overtone/testkit/seed';
import * as fc from 'fast-check';
import { createPopulation } from './population.ts';
import { createStringTable } from './string-table.ts';

fc.configureGlobal({ seed: testSeed });

const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 12 }), fc.constantFrom('a', 'A', 'ä', 'Ä', ''));

function snapshotPerson(id: string | null, login: string, more: Partial<SnapshotPerson> = {}): SnapshotPerson {
  return {
    id,
    login,
    disabled: 'no',
    admitted: 'yes',
    admin: 'no',
    claims: { known: true, values: [] },
    evidence: {},
    ...more,
  };
}

function populationOf(people: readonly SnapshotPerson[]) {
  const { add, people: found } = createPopulation();
  for (const person of people) add(person);
  return found;
}

describe('string table', () => {
  it('finds each added string by its number, and no other string', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 3_000 }), text, (list, other) => {
        const strings = createStringTable();
        const known = new Map<string, number>();
        for (const string of list.filter((entry) => entry.isWellFormed())) known.set(string, strings.add(string));
        expect(strings.size()).toBe(known.size);
        for (const [string, number] of known) {
          expect(strings.find(string)).toBe(number);
          expect(strings.at(number)).toBe(string);
        }
        expect(strings.find(other)).toBe(known.get(other) ?? -1);
      }),
      { numRuns: 50 },
    );
  });
});

describe('population', () => {
  it('finds persons by immutable id and by case-insensitive login, with all attributes', () => {
    const shared = { known: true as const, values: ['staff'] };
    const people = [
      snapshotPerson('entryUUID:1', 'una', { claims: shared }),
      snapshotPerson('entryUUID:2', 'Duo', { claims: shared, admin: 'yes' }),
      snapshotPerson(null, 'tres', { disabled: 'yes', evidence: { state: 'expired' } }),
      snapshotPerson('entryUUID:4', ''),
    ];
    const found = populationOf(people);
    for (const person of people) {
      if (person.id) expect(found.byId(person.id)).toEqual(person);
      if (person.login) expect(found.byLogin(person.login.toUpperCase())).toEqual(person);
    }
    expect(found.byId('entryUUID:3')).toBeUndefined();
    expect(found.byLogin('')).toBeUndefined();
    expect(found.byLogin('quattro')).toBeUndefined();
  });

  it('returns persons with a duplicate login only by id', () => {
    const found = populationOf([snapshotPerson('entryUUID:1', 'una'), snapshotPerson('entryUUID:2', 'UNA')]);
    expect(found.byLogin('una')).toMatchObject({ id: null, disabled: 'unknown', admitted: 'unknown' });
    expect(found.byId('entryUUID:1')).toMatchObject({ disabled: 'no', admitted: 'yes' });
    expect(found.byId('entryUUID:2')).toMatchObject({ disabled: 'no', admitted: 'yes' });
  });

  it('rejects two persons with one immutable id', () => {
    expect(() => populationOf([snapshotPerson('entryUUID:1', 'una'), snapshotPerson('entryUUID:1', 'duo')])).toThrow(
      /same immutable id/,
    );
  });
});
