import { operationsEvents, type DataOf } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { RouteRequest } from '@overtone/service-kit';
import type { Reader } from './ports/files.ts';
import type { Tx } from './database.ts';

type Performed = DataOf<typeof operationsEvents.performed>;
/** An administrator at work, and where the request came from. */
export type Operator = Reader & { client: Performed['client'] };

const cut = (value: string | undefined, max: number): string | null => value?.slice(0, max) || null;

export const operatorOf = (
  r: Pick<RouteRequest<never>, 'caller' | 'clientIp' | 'requestId'> & {
    req: { get: (name: string) => string | undefined };
  },
): Operator => ({
  userId: r.caller.userId,
  role: r.caller.role,
  client: {
    ip: cut(r.clientIp, 64),
    userAgent: cut(r.req.get('user-agent'), 512),
    requestId: cut(r.requestId, 128),
  },
});

/** Tells identity's audit trail, in the transaction of what was done. */
export const tellAudit = (
  tx: Tx,
  outbox: Outbox,
  operator: Operator,
  action: Performed['action'],
  details: Performed['details'],
): Promise<void> =>
  outbox.add(tx, operationsEvents.performed, { action, actorId: operator.userId, details, client: operator.client });
