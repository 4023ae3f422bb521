import { operationsEvents, type DataOf } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { Tx } from '../database.ts';
import type { Actor } from './audit.ts';

type Performed = DataOf<typeof operationsEvents.performed>;

/** Reports an administrator's action that concerns no single file to the audit trail, in the transaction of the action. */
export function recordOperation(
  tx: Tx,
  outbox: Outbox,
  { userId, client }: Actor,
  action: Performed['action'],
  details: Performed['details'],
): Promise<void> {
  return outbox.add(tx, operationsEvents.performed, { action, actorId: userId, details, client });
}
