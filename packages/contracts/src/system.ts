import { z } from 'zod';
import { routesOf } from './http.ts';

const route = routesOf('edge-gateway');
const unchanged = { 304: 'The caller has this version' };

export const systemRoutes = {
  version: route('GET', '/api/version', 'public', {
    summary: 'The running version',
    answer: z.object({ version: z.string() }),
  }),
  health: route('GET', '/api/health', 'public', {
    summary: 'Whether the platform answers',
    answer: z.object({ status: z.enum(['healthy', 'degraded']), version: z.string() }),
  }),
  openapi: route('GET', '/api/openapi.json', 'public', {
    summary: 'This description',
    answer: z.looseObject({}),
    otherStatuses: unchanged,
  }),
  docs: route('GET', '/api/docs', 'public', {
    summary: 'This description, to browse',
    answerType: 'text/html',
    status: 200,
    otherStatuses: unchanged,
  }),
};
