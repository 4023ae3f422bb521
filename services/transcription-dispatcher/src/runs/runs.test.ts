import { describe, expect, it } from '@jest/globals';
import { indexWarning, nextStep, outcomeOfFailure, stagesAfter, stepAfter } from './runs.ts';

describe('the step after a stage', () => {
  it('follows the order of stages, and indexing waits for the stored transcript', () => {
    const options = { diarize: true };
    expect(nextStep('prepare', options)).toEqual({ kind: 'enqueue', stage: 'transcribe' });
    expect(nextStep('transcribe', options)).toEqual({ kind: 'enqueue', stage: 'diarize' });
    expect(nextStep('diarize', options)).toEqual({ kind: 'enqueue', stage: 'assemble' });
    expect(nextStep('assemble', options)).toEqual({ kind: 'await-transcript' });
    expect(nextStep('index', options)).toEqual({ kind: 'finish' });
  });
  it('skips diarization that was not requested', () => {
    expect(nextStep('transcribe', { diarize: false })).toEqual({ kind: 'enqueue', stage: 'assemble' });
  });
});

describe('an accepted stage', () => {
  it('enqueues the next stage', () => {
    expect(stepAfter('diarize', { options: { diarize: true }, warnings: ['a'] })).toEqual({
      skips: [],
      enqueue: { stage: 'assemble', context: {} },
      ends: null,
    });
  });
  it('skips diarization that was not requested, and passes the reason to assemble', () => {
    expect(stepAfter('transcribe', { options: { diarize: false }, warnings: [] })).toEqual({
      skips: ['diarize'],
      enqueue: { stage: 'assemble', context: { degraded: 'Speaker identification was not requested' } },
      ends: null,
    });
  });
  it('enqueues nothing while media stores the transcript', () => {
    expect(stepAfter('assemble', { options: { diarize: true }, warnings: [] })).toEqual({
      skips: [],
      enqueue: null,
      ends: null,
    });
  });
  it('ends the run with its index, and drops the warning of a late index', () => {
    expect(stepAfter('index', { options: { diarize: true }, warnings: ['a', indexWarning] }).ends).toEqual({
      warnings: ['a'],
      dropped: [indexWarning],
    });
  });
});

describe('a stage that failed permanently', () => {
  it.each(['prepare', 'transcribe', 'assemble'] as const)('%s fails the run', (stage) => {
    expect(outcomeOfFailure(stage, 'x')).toEqual({ kind: 'fail-run' });
  });
  it('diarize degrades the transcript to one speaker with a reason', () => {
    expect(outcomeOfFailure('diarize', 'out of memory')).toEqual({
      kind: 'degrade',
      note: 'Speakers could not be distinguished: out of memory',
    });
  });
  it('index completes the run with a warning', () => {
    expect(outcomeOfFailure('index', 'x').kind).toBe('finish-without');
  });
});

it('lists the stages after a stage in order', () => {
  expect(stagesAfter('diarize')).toEqual(['assemble', 'index']);
  expect(stagesAfter('index')).toEqual([]);
});
