import type { JobDef } from './define.ts';
import { suggestionJobs } from './insights-suggestions.ts';

/** All jobs of insights, `job.nlp.insights.<verb>`: they share one durable, so that one worker handles every verb. */
export const insightsJobs = { ...suggestionJobs } satisfies Record<string, JobDef>;
