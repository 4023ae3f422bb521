import { describe, expect, test } from '@jest/globals';
import { after, indexWarning, stepAfter, verdictOn } from './sequence.ts';

describe('what follows a stage', () => {
  test('the stages come in their order, and the index waits for the stored transcript', () => {
    const d = { diarize: true };
    expect(after('prepare', d)).toEqual({ kind: 'order', stage: 'transcribe' });
    expect(after('transcribe', d)).toEqual({ kind: 'order', stage: 'diarize' });
    expect(after('diarize', d)).toEqual({ kind: 'order', stage: 'assemble' });
    expect(after('assemble', d)).toEqual({ kind: 'await-transcript' });
    expect(after('index', d)).toEqual({ kind: 'finish' });
  });
  test('diarization that was not asked for is left out', () => {
    expect(after('transcribe', { diarize: false })).toEqual({ kind: 'order', stage: 'assemble' });
  });
});

describe('an accepted stage', () => {
  test('orders the one that follows', () => {
    expect(stepAfter('diarize', { options: { diarize: true }, warnings: ['a'] })).toEqual({
      skips: [],
      order: { stage: 'assemble', notes: {} },
      ends: null,
    });
  });
  test('leaves out the telling apart of speakers that was not asked for, and says so', () => {
    expect(stepAfter('transcribe', { options: { diarize: false }, warnings: [] })).toEqual({
      skips: ['diarize'],
      order: { stage: 'assemble', notes: { degraded: 'Telling speakers apart was not asked for' } },
      ends: null,
    });
  });
  test('changes nothing else while the transcript is being stored', () => {
    expect(stepAfter('assemble', { options: { diarize: true }, warnings: [] })).toEqual({
      skips: [],
      order: null,
      ends: null,
    });
  });
  test('ends the run with its index, and drops what was said of an index that came late', () => {
    expect(stepAfter('index', { options: { diarize: true }, warnings: ['a', indexWarning] }).ends).toEqual({
      warnings: ['a'],
      dropped: [indexWarning],
    });
  });
});

describe('a stage that has used up its attempts', () => {
  test.each(['prepare', 'transcribe', 'assemble'] as const)('%s fails the run', (stage) => {
    expect(verdictOn(stage, 'x')).toEqual({ kind: 'fail-run' });
  });
  test('diarize costs the speakers, not the transcript, and says why', () => {
    expect(verdictOn('diarize', 'out of memory')).toEqual({
      kind: 'degrade',
      note: 'Speakers could not be told apart: out of memory',
    });
  });
  test('index leaves the file complete, with a warning', () => {
    expect(verdictOn('index', 'x').kind).toBe('finish-without');
  });
});
