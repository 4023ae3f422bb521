import type { JobDef } from './define.ts';

/** All jobs of insights, `job.nlp.insights.<verb>`: they share one durable, so that one worker handles every verb. */
export const insightsJobs = {} satisfies Record<string, JobDef>;
