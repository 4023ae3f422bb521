import type { RouteRequest } from '@overtone/service-kit';

/** Origin of a request, as the audit log and the session list show it. */
export type Client = { ip: string | null; userAgent: string | null; requestId: string | null };

export function clientOf(row: Pick<RouteRequest<never>, 'clientIp' | 'requestId' | 'req'>): Client {
  return {
    ip: cut(row.clientIp, 64),
    userAgent: cut(row.req.get('user-agent'), 512),
    requestId: cut(row.requestId, 128),
  };
}

function cut(value: string | undefined, max: number): string | null {
  return value?.slice(0, max) || null;
}
