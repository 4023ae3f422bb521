import { describe, expect, it } from '@jest/globals';
import { changesOf, withoutSaved } from './changes.ts';

const saved = { schedule: '0 3 * * *', enabled: false, s3_secret_key: null, s3_secret_key_is_set: true };

describe('changesOf', () => {
  it('contains what differs from the saved settings only', () => {
    expect(changesOf(saved, { schedule: '0 3 * * *', enabled: true }, {})).toEqual({ enabled: true });
  });
  it('contains a list of choices only when other choices are in it', () => {
    const policy: { kinds: string[] } = { kinds: ['name', 'email'] };
    expect(changesOf(policy, { kinds: ['email', 'name'] }, {})).toEqual({});
    expect(changesOf(policy, { kinds: ['name'] }, {})).toEqual({ kinds: ['name'] });
    expect(changesOf(policy, { kinds: ['name', 'phone'] }, {})).toEqual({ kinds: ['name', 'phone'] });
  });
  it('contains a secret only when it was entered or is to be deleted', () => {
    expect(changesOf(saved, {}, {})).toEqual({});
    expect(changesOf(saved, {}, { s3_secret_key: 'new' })).toEqual({ s3_secret_key: 'new' });
    expect(changesOf(saved, {}, { s3_secret_key: null })).toEqual({ s3_secret_key: null });
  });
});

describe('withoutSaved', () => {
  it('keeps what was entered while the settings were saved', () => {
    const saved = { a: 'one', b: 'two' };
    expect(withoutSaved({ ...saved, b: 'three', c: 'new' }, saved)).toEqual({ b: 'three', c: 'new' });
    expect(withoutSaved(saved, saved)).toEqual({});
  });
});
