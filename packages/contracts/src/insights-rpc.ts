import { z } from 'zod';
import { defineRpc } from './define.ts';
import { summaryObject } from './insights-summaries.ts';
import { fileMasks } from './media-redaction.ts';

export const insightsRpc = {
  /** The summary that is shown for a file; null: there is none, or it is withheld. The caller checks who may read the file. */
  summary: defineRpc('insights', 'summary', {
    request: z.object({ fileId: z.uuid(), masks: fileMasks }),
    reply: z.object({ summary: summaryObject.nullable() }),
  }),
};
