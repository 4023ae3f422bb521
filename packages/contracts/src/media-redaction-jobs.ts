import { z } from 'zod';
import { defineJob } from './define.ts';

/** Fenced by the text that was scanned: the result of an older text is not stored. */
export const redactionJobs = {
  scan: defineJob('job.nlp.redaction.scan', {
    input: z.object({ fileId: z.uuid() }),
    output: z.object({}),
    attempts: 3,
    fencedBy: 'handler',
  }),
};
