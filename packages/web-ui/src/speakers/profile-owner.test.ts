import { describe, expect, it } from '@jest/globals';
import { audienceText, groupLabel, lossText, profileLabel, profileOfName } from './profile-owner.ts';

const groups = [
  { uuid: 'r', name: 'Research' },
  { uuid: 's', name: 'Sales' },
];

describe('the owner of a speaker profile', () => {
  it('is shown by the name of its group, also while that is not known', () => {
    expect(groupLabel('r', groups)).toBe('Group Research');
    expect(groupLabel('r', [])).toBe('Shared with a group');
  });

  it('tells profiles of one name apart', () => {
    expect(profileLabel({ name: 'Anna', group_uuid: null }, groups)).toBe('Anna');
    expect(profileLabel({ name: 'Anna', group_uuid: 's' }, groups)).toBe('Anna · Group Sales');
  });

  it('decides who will see it', () => {
    expect(audienceText(null, groups)).toBe('Only you will see this profile.');
    expect(audienceText('r', groups)).toContain('All members of Research will see this profile');
  });

  it('loses by a move to a group the voices of people outside it, and that it is applied without asking', () => {
    const voices =
      'Voices from other people’s recordings that you can’t edit are removed from the profile. Names in those transcripts don’t change.';
    expect(lossText({ group_uuid: null, auto_apply: false }, 'r', groups)).toBe(voices);
    expect(lossText({ group_uuid: null, auto_apply: true }, 'r', groups)).toContain('is switched off');
    expect(lossText({ group_uuid: null, auto_apply: true }, null, groups)).toBe('');
  });

  it('takes the voices of others from a profile that leaves their group', () => {
    expect(lossText({ group_uuid: 'r', auto_apply: true }, null, groups)).toBe(
      'Other members of Research will no longer see it. Voices from other people’s recordings that you can’t edit are removed from the profile. Names in those transcripts don’t change.',
    );
    expect(lossText({ group_uuid: 'r', auto_apply: false }, 's', groups)).toContain('Other members of Research');
    expect(lossText({ group_uuid: 'r', auto_apply: true }, 'r', groups)).toBe('');
  });
});

describe('a typed name', () => {
  const shared = { name: 'Anna', group_uuid: 'r' };
  const own = { name: 'ANNA', group_uuid: null };

  it('means the profile of a group only when the user has none of that name', () => {
    expect(profileOfName([shared, own], ' anna ')).toBe(own);
    expect(profileOfName([shared], 'anna')).toBe(shared);
    expect(profileOfName([shared, own], 'Ann')).toBeUndefined();
  });
});
