import { operationsEvents, type DataOf } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { RouteRequest } from '@overtone/service-kit';
import type { Reader } from './ports/files.ts';
import type { Tx } from './database.ts';

type Performed = DataOf<typeof operationsEvents.performed>;
/** The administrator who sent the request, and the client it came from. */
export type Operator = Reader & { client: Performed['client'] };

export function operatorOf(
  row: Pick<RouteRequest<never>, 'caller' | 'clientIp' | 'requestId'> & {
    req: { get: (name: string) => string | undefined };
  },
): Operator {
  return {
    userId: row.caller.userId,
    role: row.caller.role,
    client: {
      ip: truncate(row.clientIp, 64),
      userAgent: truncate(row.req.get('user-agent'), 512),
      requestId: truncate(row.requestId, 128),
    },
  };
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

function truncate(value: string | undefined, max: number): string | null {
  return value?.slice(0, max) || null;
}
