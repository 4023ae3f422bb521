import { describe, expect, it } from '@jest/globals';
import { decideRetry } from './dead-letters.ts';

type RetryRequest = Parameters<typeof decideRetry>[0];
const dead: RetryRequest['task'] = {
  status: 'failed',
  discardedAt: null,
  superseded: false,
  stage: 'transcribe',
  runId: 'r',
};

function decide(over: Partial<RetryRequest> = {}, task: Partial<RetryRequest['task']> = {}) {
  const decision = decideRetry({
    task: { ...dead, ...task },
    run: { id: 'r', status: 'failed' },
    latestRunId: 'r',
    isReplaced: false,
    ...over,
  });
  return decision.kind === 'refused' ? decision.error.code : decision.kind;
}

describe('a retry of a dead job', () => {
  it('reopens a failed run at the failed stage', () => expect(decide()).toBe('reopen-run'));
  it('reopens a run that completed without its speakers', () =>
    expect(decide({ run: { id: 'r', status: 'completed' } }, { stage: 'diarize' })).toBe('reopen-run'));
  it('keeps a run completed when only its index is missing, and needs no run for a task outside one', () => {
    expect(decide({ run: { id: 'r', status: 'completed' } }, { stage: 'index' })).toBe('retry-task');
    expect(decide({ run: null, latestRunId: null }, { runId: null, stage: 'index' })).toBe('retry-task');
  });
  it('changes nothing while the task is pending or in progress', () => {
    expect(decide({}, { status: 'pending' })).toBe('already-open');
    expect(decide({}, { status: 'in_progress' })).toBe('already-open');
  });
  it('is rejected for a task that is not dead', () => {
    expect(decide({}, { status: 'completed' })).toBe('task_not_dead');
    expect(decide({}, { discardedAt: new Date() })).toBe('task_not_dead');
  });
  it('is rejected when a newer task or run has replaced the task', () => {
    expect(decide({ latestRunId: 'newer' })).toBe('task_superseded');
    expect(decide({}, { superseded: true })).toBe('task_superseded');
    expect(decide({ isReplaced: true, run: null })).toBe('task_superseded');
    expect(decide({ run: { id: 'r', status: 'cancelled' } })).toBe('task_superseded');
  });
  it('is rejected while the run continues without the stage', () =>
    expect(decide({ run: { id: 'r', status: 'running' } }, { stage: 'diarize' })).toBe('run_under_way'));
});
