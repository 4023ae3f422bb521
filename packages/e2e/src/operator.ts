import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from './client.ts';
import { until } from './runner.ts';
import type { Ask } from './service-access.ts';

/** Something an administrator did, under a name of its own; what they were told; `done`: it was acknowledged. */
type Deed = { name: string; event: 'admin.queue.pause' | 'admin.user.create'; told: string; done: boolean };

const kinds: readonly Deed['event'][] = ['admin.queue.pause', 'admin.user.create'];

/** What an administrator did meanwhile. */
export type Operator = { deeds: Deed[]; stop: () => Promise<void> };

const doOne = async (api: Client, event: Deed['event'], name: string): Promise<string> => {
  const said = (body: object) => ({ body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
  const answer =
    event === 'admin.queue.pause'
      ? // Nothing is ever in this queue.
        await api.call('POST', '/api/admin/queues/download/pause', said({ reason: name }))
      : await api.call('POST', '/api/admin/users', said({ email: name, password: 'Steady-Horse-9-Battery' }));
  return answer.status < 300 ? 'done' : `${answer.status} ${(answer.body as { code?: string }).code ?? ''}`;
};

/**
 * Does, until it is stopped, what leaves a record: in the transaction of the change (accounts), and by an event that
 * another service hears (queues). Nothing is tried a second time, so that every deed has happened once or not at all.
 */
export const operate = (api: Client, everyMs: number): Operator => {
  const deeds: Deed[] = [];
  let over = false;
  let latest = Infinity;
  const work = async (): Promise<void> => {
    // When it is stopped everything is well again, so that one of each kind succeeds at the latest then.
    const lacking = () => kinds.some((kind) => !deeds.some((d) => d.done && d.event === kind));
    while (!over || (lacking() && Date.now() < latest)) {
      const event = kinds[deeds.length % kinds.length] as Deed['event'];
      const deed: Deed = { name: `${randomUUID()}@example.org`, event, told: 'nothing', done: false };
      deeds.push(deed);
      deed.told = await doOne(api, event, deed.name).catch((e: unknown) => String((e as Error).cause ?? e));
      deed.done = deed.told === 'done';
      await sleep(everyMs);
    }
    await until('the queue goes on', () => api.ok<object>('POST', '/api/admin/queues/download/resume'));
  };
  const done = work();
  return {
    deeds,
    stop: async () => {
      over = true;
      latest = Math.min(latest, Date.now() + 120_000);
      await done;
    },
  };
};

/** Every deed that was acknowledged stands in the audit trail, and none stands there twice. */
export const assertRecordedOnce = async (ask: Ask, deeds: readonly Deed[]): Promise<string> => {
  const sql = `
    select event_type || ' ' || coalesce(details ->> 'reason', username) as deed, count(*)::int as times
    from audit_log where event_type = any($1::text[]) and coalesce(details ->> 'reason', username) = any($2::text[])
    group by 1`;
  const nameOf = ({ event, name }: Deed): string => `${event} ${name}`;
  const recorded = async (): Promise<Map<string, number>> => {
    const rows = await ask(sql, [['admin.queue.pause', 'admin.user.create'], deeds.map((d) => d.name)]);
    return new Map(rows.map((r) => [String(r['deed']), Number(r['times'])]));
  };
  const done = deeds.filter((d) => d.done).map(nameOf);
  assert.ok(done.length > 0, 'nothing an administrator did was acknowledged');
  const rows = await until('every deed is in the audit trail', async () => {
    const now = await recorded();
    const missing = done.filter((name) => !now.has(name));
    if (missing.length > 0) throw new Error(`missing: ${missing.join(', ')}`);
    return now;
  });
  assert.deepEqual(
    [...rows].filter(([, times]) => times !== 1),
    [],
    'a deed stands in the audit trail twice',
  );
  const told = Map.groupBy(deeds, (d) => d.told);
  return `deeds of an administrator, each recorded once: ${[...told].map(([what, all]) => `${all.length} ${what}`).join(', ')}`;
};
