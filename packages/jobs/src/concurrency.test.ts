import { describe, expect, it } from '@jest/globals';
import { defineJob, queueLimits, queues } from '@overtone/contracts';
import { z } from 'zod';
import { concurrencyOf } from './concurrency.ts';

function job(subject: Parameters<typeof defineJob>[0]) {
  return defineJob(subject, { input: z.object({}), output: z.object({}), attempts: 1 });
}

const catalogue = {
  translate: job('job.nlp.transcription.translate'),
  fetch: job('job.download.media.fetch'),
  prepare: job('job.cpu.media.prepare'),
};

describe('worker concurrency', () => {
  it('is what the specification says: jobs at once, tasks until the process is replaced', () => {
    const table = queues.map((queue) => [queue, queueLimits[queue].concurrency, queueLimits[queue].recycleAfter]);
    expect(table).toEqual([
      ['gpu', 1, 100_000],
      ['download', 3, 10],
      ['cpu', 8, 20],
      ['utility', 8, 20],
      ['nlp', 4, 50],
      ['default', 4, 50],
      ['embedding', 1, 500],
    ]);
  });

  it('is taken from the table for every queue that a service has jobs on, and for no other', () => {
    expect(concurrencyOf(catalogue, {})).toEqual({ nlp: 4, download: 3, cpu: 8 });
  });

  it('follows the variable of a queue as soon as there is a job on it', () => {
    const variables = { NLP_CONCURRENCY: '2', DOWNLOAD_CONCURRENCY: '5', GPU_CONCURRENT_REQUESTS: '7' };
    expect(concurrencyOf(catalogue, variables)).toEqual({ nlp: 2, download: 5, cpu: 8 });
    const hear = job('job.gpu.transcription.hear');
    expect(concurrencyOf({ hear }, variables)).toEqual({ gpu: 7 });
  });

  it('refuses a number that is none, by the name of its variable', () => {
    for (const wrong of ['0', '65', 'many', '1.5'])
      expect(() => concurrencyOf(catalogue, { NLP_CONCURRENCY: wrong })).toThrow('NLP_CONCURRENCY');
  });
});
