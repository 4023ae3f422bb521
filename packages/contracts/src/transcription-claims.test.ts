import { describe, expect, it } from '@jest/globals';
import { liveness } from './transcription-claims.ts';
import { indexerJobs, systemJobs, workerJobs } from './transcription-jobs.ts';

const { heartbeat, lease, bucketLifeMs } = liveness;

describe.each(Object.entries({ heartbeat, lease }))('a %s', (_, { everyMs, lifeMs, graceMs }) => {
  it('stays valid when two renewals are late', () => expect(lifeMs).toBeGreaterThan(2 * everyMs));

  it('is renewed within the grace after an interrupted watch', () => expect(graceMs).toBeGreaterThan(everyMs));

  it('is kept by the broker for longer than it is valid', () => expect(bucketLifeMs).toBeGreaterThan(lifeMs));
});

it('shows a dead worker within five seconds, and returns its tasks within a minute', () => {
  expect(heartbeat.lifeMs).toBeLessThan(5_000);
  expect(lease.lifeMs).toBeLessThan(30_000);
});

describe('the jobs', () => {
  const jobs = { ...workerJobs, ...indexerJobs, ...systemJobs };

  it('have these numbers of attempts', () => {
    const attempts = Object.entries(jobs).map(([name, { policy }]) => [name, policy.attempts]);
    expect(Object.fromEntries(attempts)).toEqual({
      prepare: 5,
      transcribe: 3,
      diarize: 3,
      assemble: 5,
      index: 5,
      reclaimOrphaned: 3,
    });
  });

  it('are not delivered again by the broker while a worker renews the lease', () => {
    for (const { policy } of Object.values(jobs)) expect(policy.ackWaitMs).toBeGreaterThan(2 * lease.everyMs);
  });
});
