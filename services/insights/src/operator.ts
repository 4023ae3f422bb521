import { operationsEvents, type DataOf } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { RouteRequest } from '@overtone/service-kit';
import type { Tx } from './database.ts';

type Performed = DataOf<typeof operationsEvents.performed>;
export type AdminRequest = Pick<RouteRequest<never>, 'caller' | 'clientIp' | 'requestId'> & {
  req: { get: (name: string) => string | undefined };
};

/** Publishes an administrator's action for identity's audit trail, in the transaction of the action itself. */
export function recordOperation(
  { tx, outbox, request }: { tx: Tx; outbox: Outbox; request: AdminRequest },
  action: Performed['action'],
  details: Performed['details'],
): Promise<void> {
  const { caller, clientIp, requestId, req } = request;
  return outbox.add(tx, operationsEvents.performed, {
    action,
    actorId: caller.userId,
    details,
    client: {
      ip: truncate(clientIp, 64),
      userAgent: truncate(req.get('user-agent'), 512),
      requestId: truncate(requestId, 128),
    },
  });
}

function truncate(value: string | undefined, max: number): string | null {
  return value?.slice(0, max) || null;
}
