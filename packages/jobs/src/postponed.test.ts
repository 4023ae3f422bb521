import { describe, expect, it } from '@jest/globals';
import { createPostponed } from './postponed.ts';

const transcribe = 'job.gpu.transcription.transcribe';

describe('the postponed tasks of a worker', () => {
  it('are left out of its claims until they are claimed', () => {
    const postponed = createPostponed();
    postponed.add('a', transcribe);
    postponed.add('b', transcribe);
    postponed.delete('a');
    expect(postponed.current()).toEqual({ except: ['b'], exceptSubjects: [] });
  });
  it('are forgotten after ten minutes', () => {
    const clock = { now: 0 };
    const postponed = createPostponed(() => clock.now);
    postponed.add('a', transcribe);
    clock.now = 600_001;
    expect(postponed.current().except).toEqual([]);
  });
  it('keep their whole kind out of the claims once there are 500', () => {
    const postponed = createPostponed();
    for (let i = 0; i < 600; i++) postponed.add(`task ${i}`, transcribe);
    expect(postponed.current().except).toHaveLength(500);
    expect(postponed.current().exceptSubjects).toEqual([transcribe]);
  });
});
