import { z } from 'zod';
import { routesOf } from './http.ts';
import { resolvedSession } from './identity-objects.ts';

/** Settings that the edge enforces. */
const edgeSettings = z.object({
  /** Sign-in attempts per minute and client address; null: not limited. */
  signInPerMinute: z.int().min(1).nullable(),
});
export type EdgeSettings = z.infer<typeof edgeSettings>;

const route = routesOf('identity');

/** Routes between services on their API ports; the edge never forwards them from outside. */
export const internalRoutes = {
  /** Resolves a token that is not in the edge's cache; over HTTP, so that it works while the bus is unavailable. */
  resolveSession: route('POST', '/internal/sessions/resolve', 'public', {
    summary: 'Who an access token belongs to',
    body: z.object({ accessToken: z.string().max(4096) }),
    answer: z.object({ session: resolvedSession.nullable() }),
    csrfExempt: true,
  }),
  /** Settings that the edge enforces; requested at its start and after every change. */
  edgeSettings: route('GET', '/internal/edge-settings', 'public', {
    summary: 'Sign-in settings that the edge enforces',
    answer: edgeSettings,
    csrfExempt: true,
  }),
};
