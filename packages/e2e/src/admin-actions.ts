import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from './client.ts';
import { jobLimitMs, until } from './until.ts';
import type { Ask } from './service-access.ts';

/** One action of an administrator with a unique name. `isAcknowledged`: the API returned success. */
type AdminAction = {
  name: string;
  event: 'admin.queue.pause' | 'admin.user.create';
  result: string;
  isAcknowledged: boolean;
};

const auditedEvents: readonly AdminAction['event'][] = ['admin.queue.pause', 'admin.user.create'];

/** Administrator actions that run in the background of a test. */
export type AdminActions = { actions: AdminAction[]; stop: () => Promise<void> };

/**
 * Runs actions that create an audit record: in the transaction of the change (accounts) and by an event to another
 * service (queues). An action is never retried, so each one is applied once or not at all.
 */
export function startAdminActions(api: Client, everyMs: number): AdminActions {
  const actions: AdminAction[] = [];
  let isStopped = false;
  let deadline = Infinity;
  const run = async (): Promise<void> => {
    // After the stop all services are available again, so one action of each kind must succeed by then.
    const isIncomplete = () =>
      auditedEvents.some((event) => !actions.some((action) => action.isAcknowledged && action.event === event));
    while (!isStopped || (isIncomplete() && Date.now() < deadline)) {
      const event = auditedEvents[actions.length % auditedEvents.length] as AdminAction['event'];
      const action: AdminAction = {
        name: `${randomUUID()}@example.org`,
        event,
        result: 'no response',
        isAcknowledged: false,
      };
      actions.push(action);
      action.result = await sendAction(api, event, action.name).catch((error: unknown) =>
        String((error as Error).cause ?? error),
      );
      action.isAcknowledged = action.result === 'done';
      await sleep(everyMs);
    }
    await until('the queue is resumed', () => api.ok<object>('POST', '/api/admin/queues/download/resume'), jobLimitMs);
  };
  const finished = run();
  return {
    actions,
    stop: async () => {
      isStopped = true;
      deadline = Math.min(deadline, Date.now() + 120_000);
      await finished;
    },
  };
}

/** Asserts that the audit log contains every acknowledged action, and none of them twice. */
export async function assertRecordedOnce(ask: Ask, actions: readonly AdminAction[]): Promise<string> {
  const sql = `
    select event_type || ' ' || coalesce(details ->> 'reason', username) as action, count(*)::int as times
    from audit_log where event_type = any($1::text[]) and coalesce(details ->> 'reason', username) = any($2::text[])
    group by 1`;
  const readRecords = async (): Promise<Map<string, number>> => {
    const rows = await ask(sql, [auditedEvents, actions.map(({ name }) => name)]);
    return new Map(rows.map((row) => [String(row['action']), Number(row['times'])]));
  };
  const acknowledged = actions
    .filter(({ isAcknowledged }) => isAcknowledged)
    .map(({ event, name }) => `${event} ${name}`);
  assert.ok(acknowledged.length > 0, 'no action of an administrator was acknowledged');
  const records = await until(
    'every action is in the audit log',
    async () => {
      const current = await readRecords();
      const missing = acknowledged.filter((name) => !current.has(name));
      if (missing.length > 0) throw new Error(`missing: ${missing.join(', ')}`);
      return current;
    },
    jobLimitMs,
  );
  assert.deepEqual(
    [...records].filter(([, times]) => times !== 1),
    [],
    'the audit log contains an action twice',
  );
  const byResult = Map.groupBy(actions, ({ result }) => result);
  const counts = [...byResult].map(([result, all]) => `${all.length} ${result}`).join(', ');
  return `actions of an administrator, each recorded once: ${counts}`;
}

async function sendAction(api: Client, event: AdminAction['event'], name: string): Promise<string> {
  const json = (body: object) => ({ body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
  const response =
    event === 'admin.queue.pause'
      ? // This queue is always empty.
        await api.call('POST', '/api/admin/queues/download/pause', json({ reason: name }))
      : await api.call('POST', '/api/admin/users', json({ email: name, password: 'Steady-Horse-9-Battery' }));
  return response.status < 300 ? 'done' : `${response.status} ${(response.body as { code?: string }).code ?? ''}`;
}
