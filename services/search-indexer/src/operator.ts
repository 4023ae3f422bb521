import { operationsEvents, type DataOf } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { clientOf, type RouteRequest } from '@overtone/service-kit';
import type { Tx } from './database.ts';

type Performed = DataOf<typeof operationsEvents.performed>;
export type AdminRequest = Pick<RouteRequest<never>, 'caller' | 'clientIp' | 'requestId' | 'req'>;

/** Publishes an administrator's action for identity's audit trail, in the transaction of the action itself. */
export function recordOperation(
  { tx, outbox, request }: { tx: Tx; outbox: Outbox; request: AdminRequest },
  action: Performed['action'],
  details: Performed['details'],
): Promise<void> {
  const { userId: actorId } = request.caller;
  return outbox.add(tx, operationsEvents.performed, { action, actorId, details, client: clientOf(request) });
}
