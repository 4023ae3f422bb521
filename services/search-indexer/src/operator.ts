import { operationsEvents, type DataOf } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { RouteRequest } from '@overtone/service-kit';
import type { Tx } from './database.ts';

type Performed = DataOf<typeof operationsEvents.performed>;
export type AdminRequest = Pick<RouteRequest<never>, 'caller' | 'clientIp' | 'requestId' | 'req'>;

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
      ip: clientIp?.slice(0, 64) ?? null,
      userAgent: req.get('user-agent')?.slice(0, 512) ?? null,
      requestId: requestId.slice(0, 128),
    },
  });
}
