import { z } from 'zod';
import { routesOf, time } from './http.ts';

const route = routesOf('media');

const engine = { provider: z.string(), model: z.string() };
const errors = z.int().describe('words that were substituted, left out or inserted by mistake');
const words = z.int().describe('of the corrected transcript');

export const accuracyRoutes = {
  transcriptAccuracy: route('GET', '/api/files/{uuid}/transcript/accuracy', 'user', {
    summary: 'Words of the automatic transcript that people have corrected, for each run that was corrected',
    answer: z.object({
      items: z.array(
        z.object({
          engine: z.object(engine),
          language: z.string().nullable(),
          transcribed_at: time,
          measured_at: time,
          words,
          errors,
          current: z.boolean().describe('whether the transcript is that of this run'),
        }),
      ),
      pending: z.boolean().describe('the transcript was edited since; the words are counted soon'),
      masked: z.boolean().describe('parts are masked from the caller, who gets no figures'),
    }),
  }),
  accuracyFigures: route('GET', '/api/admin/accuracy', 'admin', {
    summary: 'Word errors by engine, model, language and month, of the recordings that people have corrected',
    answer: z.object({
      rows: z.array(
        z.object({
          ...engine,
          language: z.string().nullable(),
          month: z.string().describe('of the transcription, in UTC: 2026-11'),
          recordings: z.int(),
          words,
          errors,
        }),
      ),
      complete: z.boolean(),
    }),
  }),
};
