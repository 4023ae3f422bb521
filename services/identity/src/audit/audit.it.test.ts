import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { operationsEvents } from '@overtone/contracts';
import { createDatabase } from '@overtone/database';
import { createLog, createMetrics } from '@overtone/service-kit';
import { waitFor } from '@overtone/testkit';
import { headers } from 'nats';
import { setUpIdentity, addUser, admin } from '../../test/running-identity.ts';
import { PrismaClient } from '../generated/client.ts';
import { createAuditTrail } from './audit-trail.service.ts';

const { backends, identity } = await setUpIdentity();
const root = await identity.session();

type Item = Record<string, unknown>;

async function list(query: string) {
  const { status, body } = await identity.ask(`/api/admin/audit-logs?${query}`, { caller: root.caller });
  return { status, total: body['total'] as number, items: (body['items'] ?? []) as Item[] };
}

async function exported(query: string) {
  const response = await identity.open(`/api/admin/audit-logs/export?${query}`, root.caller);
  return { headers: response.headers, text: await response.text() };
}

function write(fields: Record<string, unknown>) {
  const row = { event_type: 'test.event', outcome: 'success', ...fields };
  const names = Object.keys(row);
  return backends.sql.query(
    `insert into audit_log (${names.join(', ')}) values (${names.map((_, i) => `$${i + 1}`).join(', ')})`,
    Object.values(row),
  );
}

describe('the audit trail', () => {
  it('is the newest first and names who acted', async () => {
    const user = await addUser(backends.sql);
    await identity.ask(`/api/users/${user.id}`, {
      method: 'PUT',
      caller: root.caller,
      json: { full_name: 'New Name' },
    });
    const { items } = await list(`user_id=${user.id}`);
    expect(items[0]).toMatchObject({
      event_type: 'admin.user.update',
      actor: root.caller.userId,
      actor_name: admin.email,
      user_id: user.id,
      username: user.email,
    });
    const times = (await list('page_size=100')).items.map((i) => String(i['timestamp']));
    expect(times).toEqual(times.toSorted().toReversed());
  });

  it('names the account concerned also where a record has only its id, and finds it by that name', async () => {
    const user = await addUser(backends.sql);
    await write({ event_type: 'test.whom', actor: root.caller.userId, user_id: user.id });
    await write({ event_type: 'test.self', actor: user.id, user_id: user.id });
    expect((await list('event_type=test.whom')).items).toMatchObject([{ username: user.email }]);
    expect((await list(`event_type=test.whom&q=${user.email}`)).total).toBe(1);
    expect((await list('event_type=test.self')).items).toMatchObject([{ username: null, actor_name: user.email }]);
  });

  it('is filtered by person, event, its beginning, outcome, code, time and words', async () => {
    await write({ event_type: 'filter.one', outcome: 'failure', error_code: 'THE_CODE', username: '50%_off' });
    await write({ event_type: 'filter.two', time: '2001-01-01T00:00:00Z', details: { why: 'a needle in it' } });
    const totals = await Promise.all(
      [
        'event_type=filter.one',
        'event_type=filter.',
        'event_type=filter_',
        'error_code=THE_CODE',
        'event_type=filter&outcome=success',
        'end_date=2001-06-01T00:00:00Z',
        'event_type=filter&start_date=2001-06-01T00:00:00Z',
        'q=a%20NEEDLE',
        'q=50%25_off',
        'q=50_off',
      ].map(async (query) => (await list(query)).total),
    );
    expect(totals).toEqual([1, 2, 0, 1, 1, 1, 1, 1, 1, 0]);
  });

  it('is complete over its pages', async () => {
    for (let i = 0; i < 7; i++) await write({ event_type: 'paged', time: '2002-01-01T00:00:00Z' });
    const whole = await list('event_type=paged&page_size=100');
    const pages = await Promise.all([1, 2, 3, 4].map((person) => list(`event_type=paged&page_size=2&page=${person}`)));
    expect(pages.flatMap((page) => page.items.map((i) => i['uuid']))).toEqual(whole.items.map((i) => i['uuid']));
    expect(whole.total).toBe(7);
  });

  it.each(['outcome=maybe', 'start_date=yesterday', 'user_id=me', 'page=0', 'q=%00'])('refuses %s', async (query) => {
    expect((await list(query)).status).toBe(400);
  });

  it('is for a super_admin only', async () => {
    const { email, password } = await addUser(backends.sql, { role: 'admin' });
    const { caller } = await identity.session(email, password);
    for (const path of ['/api/admin/audit-logs', '/api/admin/audit-logs/export'])
      expect((await identity.ask(path, { caller })).status).toBe(403);
  });
});

describe('the export', () => {
  it('is a file of its day, as a table and as JSON with the same records', async () => {
    await write({ event_type: 'exported', username: 'maria', details: { a: 1 } });
    const csv = await exported('event_type=exported&export_format=csv');
    const day = new Date().toISOString().slice(0, 10).replaceAll('-', '');
    expect(csv.headers.get('content-disposition')).toBe(`attachment; filename="audit-logs-${day}.csv"`);
    expect(csv.headers.get('content-type')).toContain('text/csv');
    const [head, row] = csv.text.split('\r\n');
    expect(head).toBe(
      'timestamp,event_type,outcome,actor,actor_name,user_id,username,source_ip,user_agent,error_code,details,recipient',
    );
    expect(row).toMatch(/^\d{4}-.*,exported,success,,,,maria,,,,"\{""a"":1\}",$/);
    const json = await exported('event_type=exported&export_format=json');
    expect(json.headers.get('content-disposition')).toContain('.json"');
    expect(JSON.parse(json.text)).toMatchObject([{ event_type: 'exported', username: 'maria', details: { a: 1 } }]);
    expect(JSON.parse((await exported('event_type=nothing-of-this&export_format=json')).text)).toEqual([]);
  });

  it.each(['=cmd|" /C calc"!A0', '+1+1', '-2+3', '@SUM(A1)', '\t=1', '\r=1', '＝1', '＋1', '－1', '＠a'])(
    'has no cell that a spreadsheet takes for a formula: %j',
    async (username) => {
      const event_type = `formula.${randomUUID()}`;
      await write({ event_type, username });
      const { text } = await exported(`event_type=${event_type}`);
      expect(text.split('\r\n')[1]).not.toMatch(/(^|,)"?[=+\-@\t\r＝＋－＠]/);
    },
  );

  it('returns names of any kind as data', async () => {
    const names = ['<script>alert(1)</script>', 'a"b,c;d', '\u001b[2J', '\u202egpj.exe', "'; drop table audit_log; --"];
    for (const username of names) await write({ event_type: 'names', username });
    const json = JSON.parse((await exported('event_type=names&export_format=json')).text) as Item[];
    expect(new Set(json.map((i) => i['username']))).toEqual(new Set(names));
    const { text } = await exported('event_type=names');
    expect(text.split('\r\n').filter(Boolean)).toHaveLength(names.length + 1);
    for (const acting of ['\u001b', '\u202e']) expect(text).not.toContain(acting);
    expect(text).toContain('"a""b,c;d"');
  });

  it('truncates a name of a mebibyte', async () => {
    const long = 'y'.repeat(1024 ** 2);
    await write({ event_type: 'mebibyte', username: long, details: { cn: long } });
    const { text } = await exported('event_type=mebibyte');
    expect(text.length).toBeLessThan(80_000);
  });

  it('ends after ten thousand records without duplicates, also for records of the same time', async () => {
    await backends.sql.query(
      `insert into audit_log (event_type, outcome, time, details)
       select 'many', 'success', '2003-01-01T00:00:00.123456Z', jsonb_build_object('n', n) from generate_series(1, 10100) n`,
    );
    const { text } = await exported('event_type=many&export_format=json');
    const records = JSON.parse(text) as Item[];
    expect(records).toHaveLength(10_000);
    expect(new Set(records.map((record) => record['uuid'])).size).toBe(10_000);
  });

  it('is itself audited', async () => {
    await exported('event_type=whatever&export_format=csv');
    const { items } = await list('event_type=admin.audit.export');
    expect(items[0]).toMatchObject({ actor: root.caller.userId, details: { format: 'csv' } });
  });
});

describe('retention', () => {
  it('deletes records older than the retention time and no others', async () => {
    await write({ event_type: 'kept', time: new Date(Date.now() - 364 * 86_400_000) });
    await backends.sql.query(
      `insert into audit_log (event_type, outcome, time)
       select 'ancient', 'success', now() - interval '366 days' from generate_series(1, 5200)`,
    );
    const { db, part } = createDatabase(
      {
        env: { DATABASE_URL: backends.database.urlFor('identity'), DB_POOL_SIZE: 1, DB_MAX_OVERFLOW: 0 },
        name: 'identity',
        metrics: createMetrics(),
        log: createLog('identity', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'json' }),
      },
      (options) => new PrismaClient(options),
    );
    await part.start();
    expect(await createAuditTrail({ db }).deleteOld()).toBeGreaterThanOrEqual(5200);
    await part.stop();
    expect((await list('event_type=ancient')).total).toBe(0);
    expect((await list('event_type=kept')).total).toBe(1);
  });
});

describe('secrets', () => {
  it('are in no record: no passwords, tokens or hashes', async () => {
    const user = await addUser(backends.sql);
    const one = await identity.session(user.email, user.password);
    const next = 'Fresh-Battery-2026';
    await identity.signIn(user.email, 'A-Wrong-One-2026');
    const me = { caller: one.caller, method: 'PUT' };
    await identity.ask('/api/users/me', { ...me, json: { password: next, current_password: user.password } });
    await identity.ask(`/api/admin/users/${user.id}/reset-password`, {
      caller: root.caller,
      json: { new_password: 'Reset-Battery-2026' },
    });
    const created = await identity.ask('/api/admin/users', {
      caller: root.caller,
      json: { email: `secret-${user.email}`, password: 'Made-Battery-2026' },
    });
    expect(created.status).toBe(201);
    const { rows } = await backends.sql.query<{ all: string }>(
      'select string_agg(a::text, chr(10)) as all from audit_log a',
    );
    const all = rows[0]?.all ?? '';
    expect(all).toContain(user.email);
    const secrets = [user.password, next, 'A-Wrong-One', 'Reset-Battery', 'Made-Battery', 'argon2'];
    for (const secret of [...secrets, one.accessToken, one.refreshToken, one.csrfToken])
      expect(all).not.toContain(secret);
  });
});

describe('a share', () => {
  it('names the person or the group that something was shared with, while they exist', async () => {
    const reader = await addUser(backends.sql);
    const { rows } = await backends.sql.query<{ uuid: string }>(
      `insert into user_group (name) values ($1) returning uuid`,
      [`Board ${reader.id}`],
    );
    const group = rows[0]?.uuid;
    await write({ event_type: 'file.share', details: { title: 'Interview', user: reader.id }, time: '2026-01-03' });
    await write({ event_type: 'file.share', details: { title: 'Interview', group }, time: '2026-01-02' });
    await write({ event_type: 'file.share', details: { title: 'Interview', user: randomUUID() }, time: '2026-01-01' });
    await write({ event_type: 'file.share', details: { title: 'Interview', user: 'no id' }, time: '2025-12-31' });
    const recipientsOf = async (query: string) => (await list(query)).items.map(({ recipient }) => recipient);
    expect(await recipientsOf('event_type=file.share')).toEqual([reader.email, `Board ${reader.id}`, null, null]);
    expect(await recipientsOf(`event_type=file.share&q=${reader.email}`)).toEqual([reader.email]);
  });
});

describe('an action of an operator', () => {
  it('is recorded with the time of the event and the origin of the request', async () => {
    const messageHeaders = headers();
    messageHeaders.set('ot-time', '2026-01-02T03:04:05.000Z');
    const client = { ip: '192.0.2.7', userAgent: 'curl/8', requestId: 'r-1' };
    const details = { queue: 'gpu', reason: 'New driver' };
    const paused = { action: 'queue_paused', actorId: root.caller.userId, client, details };
    const options = { headers: messageHeaders, msgID: randomUUID() };
    await backends.bus
      .jetstream({ timeout: 30_000 })
      .publish(operationsEvents.performed.subject, JSON.stringify(paused), options);
    const items = await waitFor(async () => {
      const found = await list('event_type=admin.queue.pause');
      return found.items.length > 0 ? found.items : undefined;
    });
    expect(items).toMatchObject([
      {
        actor: root.caller.userId,
        outcome: 'success',
        source_ip: '192.0.2.7',
        user_agent: 'curl/8',
        request_id: 'r-1',
        timestamp: '2026-01-02T03:04:05.000Z',
        details,
      },
    ]);
  });
});
