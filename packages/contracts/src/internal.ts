import { z } from 'zod';
import type { RouteDef } from './define.ts';
import { resolvedSession } from './identity-objects.ts';

/** Settings that the edge enforces. */
const edgeSettings = z.object({
  /** Sign-in attempts per minute and client address; null: not limited. */
  signInPerMinute: z.int().min(1).nullable(),
});
export type EdgeSettings = z.infer<typeof edgeSettings>;

/** Routes between services on their API ports; the edge never forwards them from outside. */
export const internalRoutes = {
  /** Resolves a token that is not in the edge's cache; over HTTP, so that it works while the bus is unavailable. */
  resolveSession: {
    method: 'POST',
    path: '/internal/sessions/resolve',
    service: 'identity',
    access: 'public',
    summary: 'Who an access token belongs to',
    params: z.object({}).loose(),
    query: z.object({}).loose(),
    body: z.object({ accessToken: z.string().max(4096) }),
    bodyKind: 'json',
    answer: z.object({ session: resolvedSession.nullable() }),
    status: 200,
    answerType: 'application/json',
    csrfExempt: true,
    setsCookies: false,
    errors: [],
    otherStatuses: {},
    otherAnswers: {},
  },
  /** Settings that the edge enforces; requested at its start and after every change. */
  edgeSettings: {
    method: 'GET',
    path: '/internal/edge-settings',
    service: 'identity',
    access: 'public',
    summary: 'Sign-in settings that the edge enforces',
    params: z.object({}).loose(),
    query: z.object({}).loose(),
    body: z.undefined(),
    bodyKind: 'json',
    answer: edgeSettings,
    status: 200,
    answerType: 'application/json',
    csrfExempt: true,
    setsCookies: false,
    errors: [],
    otherStatuses: {},
    otherAnswers: {},
  },
} as const satisfies Record<string, RouteDef>;
