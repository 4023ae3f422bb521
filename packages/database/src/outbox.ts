import { mediaEvents, operationsEvents, type DataOf, type EventDef, type ServiceName } from '@overtone/contracts';
import { carrier, currentFlow } from '@overtone/service-kit';

/** The part of a Prisma transaction that the outbox needs. */
export type Tx = { $executeRawUnsafe: (sql: string, ...values: unknown[]) => Promise<number> };

export type Outbox = {
  /** Writes an event in the transaction of the change it describes. */
  add: <E extends EventDef>(tx: Tx, event: E, data: DataOf<E>) => Promise<void>;
  /** Writes several events of one type in one statement, in the given order. */
  addAll: <E extends EventDef>(tx: Tx, event: E, all: readonly DataOf<E>[]) => Promise<void>;
  /** The message headers, for SQL statements that insert outbox rows themselves. */
  headers: () => Record<string, string>;
};

/** The outbox table of a service. */
export function tableOf(service: ServiceName): string {
  return `${service.replaceAll('-', '_')}_outbox`;
}

/** The outbox of one service: rows that are published as messages after their transaction has committed. */
export function createOutbox(service: ServiceName): Outbox {
  const table = tableOf(service);
  const insertAll = async (tx: Tx, rows: readonly { subject: string; data: unknown }[]): Promise<void> => {
    if (rows.length === 0) return;
    await tx.$executeRawUnsafe(
      `with rows as (
         insert into ${table} (subject, data, headers, message_id)
         select e.row ->> 'subject', e.row -> 'data', $1::jsonb, gen_random_uuid()
         from jsonb_array_elements($2::jsonb) with ordinality as e (row, place) order by e.place returning id)
       select pg_notify($3, '') from rows limit 1`,
      JSON.stringify(messageHeaders(service)),
      JSON.stringify(rows),
      table,
    );
  };
  return {
    add: (tx, { subject }, data) => insertAll(tx, [{ subject, data }]),
    addAll: (tx, { subject }, all) =>
      insertAll(
        tx,
        all.map((data) => ({ subject, data })),
      ),
    headers: () => messageHeaders(service),
  };
}

const actionSubjects = [mediaEvents.actionPerformed.subject, operationsEvents.performed.subject];

/**
 * Deletes what was sent about a person's own actions, and about what others did to the person's collections: it has names and
 * network addresses, and sent rows stay for two days, in case the broker loses its messages. Used by the erasure of the person.
 */
export async function deleteSentActionsOf(tx: Tx, service: ServiceName, userId: string): Promise<void> {
  await tx.$executeRawUnsafe(
    `delete from ${tableOf(service)}
     where sent_at is not null and subject = any($1::text[])
       and $2 in (data ->> 'actorId', data -> 'details' ->> 'owner')`,
    actionSubjects,
    userId,
  );
}

function messageHeaders(service: ServiceName): Record<string, string> {
  return {
    ...carrier(),
    'ot-source': service,
    'ot-request-id': currentFlow()?.requestId ?? '',
  };
}
