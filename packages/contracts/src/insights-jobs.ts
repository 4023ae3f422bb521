import { z } from 'zod';
import { defineJob } from './define.ts';

/** All jobs of insights, `job.nlp.insights.<verb>`: they share one durable, so that one worker handles every verb. */
export const insightsJobs = {
  /** Works on an ordered summary. Failures of the language model are stored and repeated by the service itself. */
  summarize: defineJob('job.nlp.insights.summarize', {
    input: z.object({ summaryId: z.uuid() }),
    output: z.object({}),
    attempts: 5,
    fencedBy: 'handler',
  }),
};
