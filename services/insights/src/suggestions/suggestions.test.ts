import { describe, expect, it } from '@jest/globals';
import {
  completeName,
  effectivePreference,
  sectionsOf,
  selectAutomatic,
  selectLabels,
  selectSpeakerNames,
  type Candidate,
} from './suggestions.ts';

function candidate(name: string, confidence = 0.9, more: Partial<Candidate> = {}): Candidate {
  return { kind: 'tag', name, speakerUuid: null, confidence, rationale: '', segmentUuid: null, start: null, ...more };
}

function speaker(speakerUuid: string, name: string, confidence = 0.9): Candidate {
  return candidate(name, confidence, { kind: 'speaker', speakerUuid });
}

const nothing = { ownerTags: [], fileTags: [], collections: [] };
const noDecisions = { decided: [], language: 'en' };
const settings = { apply_automatically: true, confidence_threshold: 0.75 };

describe('suggested labels', () => {
  const namesOf = (found: Candidate[]) => found.map(({ name }) => name);

  it('are one for similar names, the most confident', () => {
    const found = selectLabels([candidate('budget', 0.6), candidate('Budgets', 0.8)], nothing, noDecisions);
    expect(found).toMatchObject([{ name: 'Budgets', confidence: 0.8 }]);
  });

  it.each([
    ['Solar panel', 'solar-panels'],
    ['Café', 'cafe'],
    ['Budget Planing', 'budget planning'],
  ])('use the spelling of the owner: %s is %s', (name, known) => {
    expect(namesOf(selectLabels([candidate(name)], { ...nothing, ownerTags: [known] }, noDecisions))).toEqual([known]);
  });

  it('are not those that the file has, or that were decided', () => {
    const context = { ...nothing, fileTags: ['Budget'] };
    const decided = [{ kind: 'tag', name: 'roof' }];
    const found = selectLabels([candidate('budgets'), candidate('Roof'), candidate('sun')], context, {
      decided,
      language: 'en',
    });
    expect(namesOf(found)).toEqual(['sun']);
  });

  it.each(['', '  ', '---', '!!!', 'x'.repeat(51)])('are not names such as %j', (name) => {
    expect(selectLabels([candidate(name)], nothing, noDecisions)).toEqual([]);
  });

  it('contain only existing collections without the file', () => {
    const collections = [
      { name: 'Roof', contains: false, isShared: false },
      { name: 'Budget', contains: true, isShared: false },
    ];
    const found = selectLabels(
      ['roof', 'Budget', 'Garden'].map((name) => candidate(name, 0.9, { kind: 'collection' })),
      { ...nothing, collections },
      noDecisions,
    );
    expect(namesOf(found)).toEqual(['Roof']);
  });
});

describe('suggested names of speakers', () => {
  const unnamed = ['one', 'two'].map((uuid) => ({ uuid, label: uuid, name: null }));
  const context = { speakers: unnamed, knownNames: ['Anna Schmidt', 'Grace Hopper', 'Grace Kelly'] };

  it('are completed when exactly one known person fits', () => {
    expect(completeName('anna', context.knownNames)).toBe('Anna Schmidt');
    expect(completeName('Grace', context.knownNames)).toBe('Grace');
    expect(completeName('GRACE KELLY', context.knownNames)).toBe('Grace Kelly');
  });

  it('are never given to two speakers', () => {
    const found = selectSpeakerNames([speaker('one', 'Ben', 0.9), speaker('two', 'Ben', 0.7)], context, []);
    expect(found).toMatchObject([{ speakerUuid: 'one', name: 'Ben' }]);
    expect(selectSpeakerNames([speaker('one', 'Ben', 0.9), speaker('two', 'ben', 0.9)], context, [])).toEqual([]);
  });

  it('are not made for a speaker with a name, nor the name of another speaker', () => {
    const speakers = [
      { uuid: 'one', label: 'one', name: 'Ben' },
      { uuid: 'two', label: 'two', name: null },
    ];
    const found = selectSpeakerNames([speaker('one', 'Carl'), speaker('two', 'Ben')], { ...context, speakers }, []);
    expect(found).toEqual([]);
  });

  it('leave out what was rejected for this speaker only', () => {
    const rejected = [{ speakerId: 'one', normalizedName: 'ben' }];
    expect(selectSpeakerNames([speaker('one', 'Ben')], context, rejected)).toEqual([]);
    expect(selectSpeakerNames([speaker('two', 'Ben')], context, rejected)).toHaveLength(1);
  });

  it.each(['<b>Ben</b>', 'I am the new project leader of everything here', '12', 'Ben; drop table', ''])(
    'are names of people, not %j',
    (name) => {
      expect(selectSpeakerNames([speaker('one', name)], context, [])).toEqual([]);
    },
  );
});

describe('automatic labels', () => {
  const collections = [
    { name: 'Own', contains: false, isShared: false },
    { name: 'Open', contains: false, isShared: true },
  ];
  const all = [
    candidate('sure', 0.75),
    candidate('unsure', 0.74),
    candidate('Own', 0.9, { kind: 'collection' }),
    candidate('Open', 0.9, { kind: 'collection' }),
    speaker('one', 'Ben', 1),
  ];

  it('begin at the threshold, and never concern speakers or shared collections', () => {
    const chosen = selectAutomatic(all, effectivePreference(settings, null), collections);
    expect(chosen.map(({ name }) => name)).toEqual(['sure', 'Own']);
  });

  it('begin at the threshold that the administrator has set, unless the person chose another', () => {
    const strict = { ...settings, confidence_threshold: 0.95 };
    expect(selectAutomatic(all, effectivePreference(strict, null), collections)).toEqual([]);
    const own = { enabled: true, confidenceThreshold: 0.75, tagsEnabled: null, collectionsEnabled: null };
    expect(selectAutomatic(all, effectivePreference(strict, own), collections)).toHaveLength(2);
  });

  it('are off when the administrator or the person does not want them', () => {
    const off = { enabled: false, confidenceThreshold: null, tagsEnabled: null, collectionsEnabled: null };
    expect(selectAutomatic(all, effectivePreference(settings, off), collections)).toEqual([]);
    const forbidden = effectivePreference({ ...settings, apply_automatically: false }, { ...off, enabled: true });
    expect(selectAutomatic(all, forbidden, collections)).toEqual([]);
  });
});

describe('sections', () => {
  it('contain every item once, in order, and are as large as allowed', () => {
    const items = [3, 3, 3, 9, 1, 1];
    expect(sectionsOf(items, (item) => item, 6)).toEqual([[3, 3], [3], [9], [1, 1]]);
    expect(sectionsOf([], () => 1, 6)).toEqual([]);
  });
});
