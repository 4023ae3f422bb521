import type { LabelActor } from '@overtone/contracts';
import type { RouteRequest } from '@overtone/service-kit';

export type Person = NonNullable<LabelActor>;

/** The caller, and where the request came from, for the audit trail of media. */
export function personOf(request: Pick<RouteRequest<never>, 'caller' | 'clientIp' | 'requestId' | 'req'>): Person {
  const { caller, clientIp, requestId, req } = request;
  return {
    userId: caller.userId,
    role: caller.role,
    client: {
      ip: truncate(clientIp, 64),
      userAgent: truncate(req.get('user-agent'), 512),
      requestId: truncate(requestId, 128),
    },
  };
}

function truncate(value: string | undefined, max: number): string | null {
  return value?.slice(0, max) || null;
}
