import { describe, expect, it } from '@jest/globals';
import { decisionText, undoOf } from './decisions.ts';

const voice = { label: 'SPEAKER_02', file_title: 'Visit' };

describe('undoOf', () => {
  it('takes an accepted voice out of the profile without a rejection', () =>
    expect(undoOf('accept')).toEqual(['remove', 'undo_reject']));
  it('rejects a voice again that was rejected before', () => expect(undoOf('accept_rejected')).toEqual(['remove']));
  it('suggests a rejected voice again, and names one again that had the name', () =>
    expect([undoOf('reject'), undoOf('remove')]).toEqual([['undo_reject'], ['accept_rejected']]));
});

describe('decisionText', () => {
  it('says which voice of which recording was named', () =>
    expect(decisionText('accept', { voice, name: 'Anna' })).toBe('Speaker 2 in Visit is named Anna.'));
  it('says what will not be suggested again', () =>
    expect(decisionText('reject', { voice, name: 'Anna' })).toBe(
      'Speaker 2 in Visit won’t be suggested as Anna again.',
    ));
  it('says that the name of a voice leaves the transcript', () =>
    expect(decisionText('remove', { voice, name: 'Anna' })).toBe(
      'Speaker 2 in Visit is not Anna. The name leaves the transcript.',
    ));
});
