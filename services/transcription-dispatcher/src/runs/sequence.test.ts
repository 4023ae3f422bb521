import { describe, expect, test } from '@jest/globals';
import { after, verdictOn } from './sequence.ts';

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
