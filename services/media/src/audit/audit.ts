import { mediaEvents, operationsEvents, type DataOf } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { clientOf, type Caller, type RouteRequest } from '@overtone/service-kit';
import type { Tx } from '../database.ts';

type Performed = DataOf<typeof mediaEvents.actionPerformed>;
type Operation = DataOf<typeof operationsEvents.performed>;
/** The caller of a route whose action is audited, and where the request came from. */
export type Actor = Caller & { client: Performed['client'] };

/** For actions of the service itself, without a request. */
export const noClient: Performed['client'] = { ip: null, userAgent: null, requestId: null };

export function actorOf(row: Pick<RouteRequest<never>, 'caller' | 'clientIp' | 'requestId' | 'req'>): Actor {
  return {
    ...row.caller,
    client: clientOf(row),
  };
}

/** Reports an action on a file to the audit trail, in the transaction of the action. */
export function auditAction(
  tx: Tx,
  outbox: Outbox,
  action: Performed['action'],
  {
    file,
    actor,
    details = {},
  }: {
    file: { id: string; userId: string; title: string };
    /** null: the service itself. */
    actor: { userId: string; client: Performed['client'] } | null;
    details?: Performed['details'];
  },
): Promise<void> {
  return outbox.add(tx, mediaEvents.actionPerformed, {
    action,
    fileId: file.id,
    ownerId: file.userId,
    actorId: actor?.userId ?? null,
    details: { title: file.title, ...details },
    client: actor?.client ?? noClient,
  });
}

/** Reports an administrator's action that concerns no single file to the audit trail, in the transaction of the action. */
export function recordOperation(
  tx: Tx,
  outbox: Outbox,
  { userId, client }: Pick<Actor, 'userId' | 'client'>,
  action: Operation['action'],
  details: Operation['details'],
): Promise<void> {
  return outbox.add(tx, operationsEvents.performed, { action, actorId: userId, details, client });
}
