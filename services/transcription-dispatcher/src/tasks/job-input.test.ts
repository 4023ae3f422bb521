import { describe, expect, it } from '@jest/globals';
import { stageJobs, stages } from '@overtone/contracts';
import { prepared } from '@overtone/testkit/results';
import type { RunFacts, StageResult } from '../runs/runs.ts';
import { inputFor, pauseAfter } from './job-input.ts';

function uuid(value: number) {
  return `00000000-0000-4000-8000-${String(value).padStart(12, '0')}`;
}

const run: RunFacts = {
  id: uuid(1),
  fileId: uuid(2),
  ownerId: uuid(3),
  objectKey: 'original/2',
  contentType: 'audio/mpeg',
  options: { language: null, minSpeakers: null, maxSpeakers: 3, diarize: true },
  priority: 1,
};
const preparation: StageResult = {
  stage: 'prepare',
  artefact: 'derived/prepare-1.json',
  output: prepared({ duration: 12.5 }),
};

describe('the body of a stage job', () => {
  it('matches the schema of its job for every stage', () => {
    for (const stage of stages)
      expect(() => stageJobs[stage].input.parse(inputFor(stage, run, [preparation]))).not.toThrow();
  });
  it('contains the artefacts of the completed stages', () => {
    expect(
      inputFor('diarize', run, [preparation, { stage: 'transcribe', artefact: 't.json', output: {} }]).earlier,
    ).toEqual({
      prepare: 'derived/prepare-1.json',
      transcribe: 't.json',
    });
  });
  it('passes audio and options of the upload to the speech stages', () => {
    expect(inputFor('transcribe', run, [preparation])).toMatchObject({
      audio: 'derived/audio.wav',
      duration: 12.5,
      options: { maxSpeakers: 3 },
    });
  });
  it('tells assemble why speaker turns are missing', () => {
    expect(inputFor('assemble', run, [preparation], { degraded: 'no model' })).toMatchObject({ degraded: 'no model' });
  });
  it('throws for a speech stage without a prepared recording', () => {
    expect(() => inputFor('transcribe', run, [])).toThrow();
  });
});

describe('the backoff before the next attempt', () => {
  it('doubles with every failure', () => {
    expect([1, 2, 3].map((attempt) => pauseAfter(attempt, 2_000, 0.5))).toEqual([2_000, 4_000, 8_000]);
  });
  it('has 25 % jitter', () => {
    expect([pauseAfter(1, 1_000, 0), pauseAfter(1, 1_000, 1)]).toEqual([750, 1_250]);
  });
  it('is at most five minutes', () => {
    expect(pauseAfter(40, 2_000, 0.5)).toBe(300_000);
  });
});
