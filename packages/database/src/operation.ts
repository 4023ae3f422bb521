import { operationsEvents, type DataOf } from '@overtone/contracts';
import { clientOf, type RouteRequest } from '@overtone/service-kit';
import type { Outbox, Tx } from './outbox.ts';

type Performed = DataOf<typeof operationsEvents.performed>;
/** The parts of a request that the audit trail needs. */
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
