import { z } from 'zod';
import { routesOf } from './http.ts';

const route = routesOf('edge-gateway');
const unchanged = { 304: 'The caller has this version' };

export const systemRoutes = {
  version: route({
    method: 'GET',
    path: '/api/version',
    access: 'public',
    summary: 'The running version',
    answer: z.object({ version: z.string() }),
  }),
  health: route({
    method: 'GET',
    path: '/api/health',
    access: 'public',
    summary: 'Whether the platform answers',
    answer: z.object({ status: z.enum(['healthy', 'degraded']), version: z.string() }),
  }),
  openapi: route({
    method: 'GET',
    path: '/api/openapi.json',
    access: 'public',
    summary: 'This description',
    answer: z.looseObject({}),
    otherStatuses: unchanged,
  }),
  docs: route({
    method: 'GET',
    path: '/api/docs',
    access: 'public',
    summary: 'This description, to browse',
    answerType: 'text/html',
    status: 200,
    otherStatuses: unchanged,
  }),
};
