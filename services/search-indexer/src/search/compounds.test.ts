import { describe, expect, it } from '@jest/globals';
import { wordListOf } from '../vocabulary/vocabulary.ts';
import { compoundsWith, createCompounds } from './compounds.service.ts';

const library = wordListOf([
  'krankenversicherung',
  'versicherung',
  'versicherungen',
  'datenschutzbeauftragte',
  'größenverhältnis',
  'häfenverband',
  'arbeiter',
  'tagesarbeit',
  'tag',
  'ziekenhuisbezoek',
  'flughafen',
]);

describe('compounds of the library', () => {
  it.each([
    ['Versicherung', 'de', ['krankenversicherung']],
    ['Versicherungen', 'de', ['krankenversicherung']],
    ['Datenschutz', 'de', ['datenschutzbeauftragte']],
    ['Verhältnis', 'de', ['größenverhältnis']],
    ['Verhaeltnis', 'de', ['größenverhältnis']],
    ['Arbeit', 'de', ['tagesarbeit']],
    ['ziekenhuis', 'nl', ['ziekenhuisbezoek']],
    ['rat', 'de', []],
  ])('contain %s (%s)', (word, language, expected) => {
    expect(compoundsWith(word, library, language)).toEqual(expected);
  });

  it('are those of readable files only, and only in languages that join words', async () => {
    const vocabulary = {
      all: async () => library,
      readable: async (words: readonly string[]) => words.slice(0, 1).map((word) => ({ word, files: 1 })),
    };
    const find = createCompounds({ vocabulary });
    const scope = { ownerId: null, sharedIds: [] };
    expect(await find(['Versicherung', 'Datenschutz'], scope, ['en', 'de'])).toEqual(['krankenversicherung']);
    expect(await find(['Versicherung'], scope, ['en', 'fr', null])).toEqual([]);
  });
});
