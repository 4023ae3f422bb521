import { operationsEvents, type DataOf } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { clientOf, type RouteRequest } from '@overtone/service-kit';
import type { Reader } from './ports/files.ts';
import type { Tx } from './database.ts';

type Performed = DataOf<typeof operationsEvents.performed>;
/** The administrator who sent the request, and the client it came from. */
export type Operator = Reader & { client: Performed['client'] };

export function operatorOf(request: Parameters<typeof clientOf>[0] & Pick<RouteRequest<never>, 'caller'>): Operator {
  const { userId, role } = request.caller;
  return { userId, role, client: clientOf(request) };
}

/** Publishes the operation for identity's audit trail, in the transaction of the operation itself. */
export function recordOperation(
  tx: Tx,
  outbox: Outbox,
  operator: Operator,
  action: Performed['action'],
  details: Performed['details'],
): Promise<void> {
  return outbox.add(tx, operationsEvents.performed, {
    action,
    actorId: operator.userId,
    details,
    client: operator.client,
  });
}
