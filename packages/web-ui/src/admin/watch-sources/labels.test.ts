import { describe, expect, it } from '@jest/globals';
import { countsText, reasonText, stateOf, testText } from './labels.ts';

const decision = {
  path: 'a.wav',
  decision: 'imported' as const,
  reason: '',
  bytes: 1,
  modified_at: '',
  decided_at: '',
  file_uuid: null,
  after_state: null,
  gone_at: null,
};

describe('the texts of watch sources', () => {
  it('name the state of a source', () => {
    expect(stateOf({ enabled: false, status: 'unavailable' }).text).toBe('Off');
    expect(stateOf({ enabled: true, status: 'unavailable' }).text).toBe('Unavailable');
    expect(stateOf({ enabled: true, status: 'available' }).text).toBe('Watching');
    expect(stateOf({ enabled: true, status: 'checking' }).text).toBe('Checking');
  });

  it('count the files by what was decided about them', () => {
    expect(countsText({ counts: {} })).toBe('No files yet');
    expect(countsText({ counts: { imported: 3, waiting: 1, duplicate: 2, not_media: 1, excluded: 1 } })).toBe(
      '3 imported, 1 waiting, 2 duplicates, 2 not taken',
    );
  });

  it('say what a test has found, or why it failed', () => {
    const found = { ok: true, error_code: null, error: null, files: 2, matching: 1, examples: ['a.wav'] };
    expect(testText(found)).toBe('2 files found, 1 of them fits the filters: a.wav.');
    expect(testText({ ...found, ok: false, error: 'There is no bucket b.' })).toBe('There is no bucket b.');
  });

  it('say what happened to the source file', () => {
    expect(reasonText(decision)).toBe('The recording is in the library.');
    expect(reasonText({ ...decision, after_state: 'done', gone_at: 'x' })).toBe(
      'The recording is in the library. Moved or deleted as set.',
    );
    expect(reasonText({ ...decision, decision: 'failed', reason: 'Full.', gone_at: 'x' })).toBe(
      'Full. The file is no longer in the source.',
    );
  });
});
