import type { RouteRequest } from '@overtone/service-kit';

/** Origin of a request, as the audit log and the session list show it. */
export type Client = { ip: string | null; userAgent: string | null; requestId: string | null };

const cut = (value: string | undefined, max: number): string | null => value?.slice(0, max) || null;

export const clientOf = (r: Pick<RouteRequest<never>, 'clientIp' | 'requestId' | 'req'>): Client => ({
  ip: cut(r.clientIp, 64),
  userAgent: cut(r.req.get('user-agent'), 512),
  requestId: cut(r.requestId, 128),
});
