import { describe, expect, test } from '@jest/globals';
import { judgeRetry, stagesAfter } from './dead.ts';

type Judged = Parameters<typeof judgeRetry>[0];
const dead: Judged['task'] = {
  status: 'failed',
  discardedAt: null,
  superseded: false,
  stage: 'transcribe',
  runId: 'r',
};
const judge = (over: Partial<Judged> = {}, task: Partial<Judged['task']> = {}) => {
  const verdict = judgeRetry({
    task: { ...dead, ...task },
    run: { id: 'r', status: 'failed' },
    latestRunId: 'r',
    replaced: false,
    ...over,
  });
  return verdict.kind === 'refused' ? verdict.why.code : verdict.kind;
};

describe('a retry', () => {
  test('takes a failed run up again at the stage that failed', () => expect(judge()).toBe('reopen'));
  test('takes a run up again that went on without its speakers', () =>
    expect(judge({ run: { id: 'r', status: 'completed' } }, { stage: 'diarize' })).toBe('reopen'));
  test('leaves a run as it ended when only its index is missing, and needs none for an order outside a run', () => {
    expect(judge({ run: { id: 'r', status: 'completed' } }, { stage: 'index' })).toBe('again');
    expect(judge({ run: null, latestRunId: null }, { runId: null, stage: 'index' })).toBe('again');
  });
  test('asked for twice is one', () => {
    expect(judge({}, { status: 'pending' })).toBe('under-way');
    expect(judge({}, { status: 'in_progress' })).toBe('under-way');
  });
  test('is refused where nothing failed for good', () => {
    expect(judge({}, { status: 'completed' })).toBe('task_not_dead');
    expect(judge({}, { discardedAt: new Date() })).toBe('task_not_dead');
  });
  test('is refused where something newer has taken the place of the task', () => {
    expect(judge({ latestRunId: 'newer' })).toBe('task_superseded');
    expect(judge({}, { superseded: true })).toBe('task_superseded');
    expect(judge({ replaced: true, run: null })).toBe('task_superseded');
    expect(judge({ run: { id: 'r', status: 'cancelled' } })).toBe('task_superseded');
  });
  test('waits until a run that goes on without the stage has ended', () =>
    expect(judge({ run: { id: 'r', status: 'running' } }, { stage: 'diarize' })).toBe('run_under_way'));
});

test('what follows a stage is done anew', () => {
  expect(stagesAfter('diarize')).toEqual(['assemble', 'index']);
  expect(stagesAfter('index')).toEqual([]);
});
