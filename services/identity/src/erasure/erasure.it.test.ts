import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { erasureEvents, erasureRpc, type ErasureObject, type ErasureReport } from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { headers } from 'nats';
import { codeOf, startAdministration } from '../../test/administration.ts';
import { startIdentity } from '../../test/running-identity.ts';

const world = await startAdministration();
const { root, backends } = world;
const { sql, bus } = backends;
type Service = keyof typeof erasureEvents;
const others = Object.keys(erasureEvents) as Service[];

let owned = { files: 2, bytes: 10, uploads: 0, tags: 1, shares: 0, heldFiles: 0, isHeld: false };
beforeEach(() => {
  owned = { ...owned, heldFiles: 0, isHeld: false };
});
bus.subscribe(erasureRpc.describeOwner.subject, {
  callback: (_, message) => void message.respond(JSON.stringify({ ok: owned })),
});
const orders: { erasureId: string; round: number; userId: string }[] = [];
bus.subscribe('evt.identity.user.erasure-ordered.v1', { callback: (_, message) => void orders.push(message.json()) });
await bus.flush();

function order(id: string, email: string, by = root) {
  return world.ask(`/api/admin/users/${id}/erasure`, by, 'POST', { confirm_email: email });
}

async function answer(service: Service, erasureId: string, change: Partial<ErasureReport> = {}, id = randomUUID()) {
  const messageHeaders = headers();
  messageHeaders.set('Nats-Msg-Id', id);
  const report = { erasureId, round: 1, counts: {}, objectHashes: [], fileIds: [], held: 0, complete: true, ...change };
  await bus
    .jetstream({ timeout: 30_000 })
    .publish(erasureEvents[service].subject, JSON.stringify(report), { headers: messageHeaders });
}

async function ledgerOf(id: string): Promise<ErasureObject> {
  const { body } = await world.ask('/api/admin/erasures?page_size=100', root);
  return (body['items'] as ErasureObject[]).find(({ uuid }) => uuid === id)!;
}

function reaches(id: string, status: ErasureObject['status']): Promise<ErasureObject> {
  return waitFor(async () => {
    const erasure = await ledgerOf(id);
    return erasure.status === status ? erasure : undefined;
  });
}

async function everything(): Promise<string> {
  const tables = [
    '"user"',
    'refresh_token',
    'password_history',
    'audit_log',
    'login_lockout',
    'erasure',
    'erasure_report',
  ];
  const rows = await Promise.all(tables.map((table) => sql.query(`select to_jsonb(t)::text as row from ${table} t`)));
  return rows.flatMap(({ rows: found }) => found.map(({ row }: { row: string }) => row)).join('\n');
}

describe('the erasure of a person', () => {
  it('needs the address of the account, typed again', async () => {
    const { id, email } = await world.member();
    expect(codeOf(await order(id, 'other@example.org'))).toEqual([400, 'confirmation_mismatch']);
    expect(await world.row(id)).toBeDefined();
    expect((await order(id, email.toUpperCase())).status).toBe(202);
  });

  it('deletes the account at once, ends its sessions, and is done only when every service has answered', async () => {
    const { id, email, session } = await world.member({ full_name: 'Grace Erased' });
    const preview = await world.ask(`/api/admin/users/${id}/erasure`, root);
    expect(preview.body).toMatchObject({
      email,
      blockers: [],
      bytes: 10,
      erases: { accounts: 1, sessions: 1, files: 2 },
    });
    const ordered = await order(id, email);
    expect(ordered).toMatchObject({ status: 202, body: { status: 'running', round: 1 } });
    const erasureId = String(ordered.body['uuid']);
    expect(await world.row(id)).toBeUndefined();
    expect(await world.isDead(session)).toBe(true);
    await waitFor(() => orders.some((sent) => sent.erasureId === erasureId && sent.userId === id && sent.round === 1));
    const hash = 'a'.repeat(64);
    await answer('media', erasureId, { complete: false, counts: { files: 2, objects: 9 }, objectHashes: [hash] });
    for (const service of others.filter((name) => name !== 'operations')) await answer(service, erasureId);
    const waiting = await waitFor(async () => {
      const erasure = await ledgerOf(erasureId);
      const pending = erasure.services.filter(({ status }) => status === 'pending').map(({ service }) => service);
      return pending.length === 1 ? { erasure, pending } : undefined;
    });
    expect([waiting.erasure.status, waiting.pending]).toEqual(['running', ['operations']]);
    const id2 = randomUUID();
    // Delivered twice, counted once.
    for (let i = 0; i < 2; i += 1) await answer('operations', erasureId, { counts: { mirrored_files: 2 } }, id2);
    const done = await reaches(erasureId, 'done');
    expect(done.rounds).toMatchObject([{ round: 1, counts: { accounts: 1, files: 2, objects: 9, mirrored_files: 2 } }]);
    const hashes = await world.ask(`/api/admin/erasures/${erasureId}/objects`, root);
    expect(hashes.body).toMatchObject({ total: 1, items: [{ sha256: hash, round: 1 }] });
    const beyond = await world.ask(`/api/admin/erasures/${erasureId}/objects?page=2`, root);
    expect(beyond.body).toMatchObject({ total: 1, items: [] });
    expect(codeOf(await world.ask(`/api/admin/erasures/${randomUUID()}/objects`, root))).toEqual([404, 'not_found']);
    expect(codeOf(await world.ask(`/api/admin/erasures/${erasureId}/retry`, root, 'POST'))).toEqual([
      409,
      'erasure_done',
    ]);
  });

  it('is counted with its age until every service has answered', async () => {
    const gaugeOf = async (name: string) => {
      const text = await (await fetch(`${world.identity.internal}/metrics`)).text();
      return Number(new RegExp(String.raw`^${name}\{[^}]*status="running"[^}]*\} (\S+)$`, 'm').exec(text)?.[1]);
    };
    const before = await gaugeOf('erasures_open');
    const { id, email } = await world.member();
    const erasureId = String((await order(id, email)).body['uuid']);
    await sql.query(`update erasure set ordered_at = now() - interval '2 days' where uuid = $1`, [erasureId]);
    expect(await gaugeOf('erasures_oldest_open_seconds')).toBeGreaterThan(172_000);
    expect(await gaugeOf('erasures_open')).toBe(before + 1);
    for (const service of others) await answer(service, erasureId);
    await reaches(erasureId, 'done');
    expect(await gaugeOf('erasures_open')).toBe(before);
    expect(await gaugeOf('erasures_oldest_open_seconds')).toBeLessThan(172_000);
  });

  it('leaves no name, address or account id in the ledger and the audit log, and what happened stays', async () => {
    const { id, email } = await world.member({ full_name: 'Grace Remembered' });
    await world.identity.signIn(email, 'wrong');
    await world.ask(`/api/users/${id}`, root, 'PUT', { full_name: 'Grace Renamed' });
    await sql.query(
      `insert into audit_log (event_type, outcome, actor, user_id, details)
       values ('speaker.verify', 'success', $1::uuid::text, $1, '{"name": "Grace Recorded", "recordings": "Grace Reads"}')`,
      [id],
    );
    const before = await sql.query('select count(*)::int as count from audit_log');
    const { body } = await order(id, email);
    const erasureId = String(body['uuid']);
    for (const service of others) await answer(service, erasureId);
    await reaches(erasureId, 'done');
    const left = await everything();
    for (const trace of [email, email.toLowerCase(), 'Grace Re']) expect(left).not.toContain(trace);
    const ledger = await sql.query('select to_jsonb(e)::text as row from erasure e where uuid = $1', [erasureId]);
    expect(JSON.stringify(ledger.rows)).not.toContain(id);
    const after = await sql.query('select count(*)::int as count from audit_log');
    expect(after.rows[0].count).toBeGreaterThanOrEqual(before.rows[0].count + 2);
    const found = await world.ask('/api/admin/erasures/find', root, 'POST', { email: ` ${email.toUpperCase()}` });
    expect(found.body).toMatchObject([{ uuid: erasureId, status: 'done' }]);
  });

  it('is blocked by a legal hold, by a group without another manager, and for the last super_admin', async () => {
    const { id, email, session } = await world.member({ role: 'super_admin' });
    const blockers = async () =>
      ((await world.ask(`/api/admin/users/${id}/erasure`, root)).body['blockers'] as { code: string }[]).map(
        ({ code }) => code,
      );
    expect(await blockers()).toEqual([]);
    owned = { ...owned, heldFiles: 1 };
    expect(await blockers()).toEqual(['legal_hold']);
    expect(codeOf(await order(id, email))).toEqual([409, 'erasure_blocked']);
    owned = { ...owned, heldFiles: 0, isHeld: true };
    expect(await blockers()).toEqual(['legal_hold']);
    owned = { ...owned, isHeld: false };
    const group = await world.ask('/api/groups', root, 'POST', { name: 'Band' });
    const groupId = String(group.body['uuid']);
    const other = await world.member();
    for (const [user_id, role] of [
      [id, 'manager'],
      [other.id, 'member'],
    ])
      await sql.query('insert into user_group_member (group_id, user_id, role) values ($1, $2, $3)', [
        groupId,
        user_id,
        role,
      ]);
    expect(await blockers()).toEqual(['only_manager']);
    await sql.query(`update user_group_member set role = 'manager' where user_id = $1`, [other.id]);
    const own = await world.ask(`/api/admin/users/${id}/erasure`, session);
    expect((own.body['blockers'] as { code: string }[]).map(({ code }) => code)).toEqual(['own_account']);
    expect(await blockers()).toEqual([]);
    expect((await order(id, email)).status).toBe(202);
  });

  it('is held while media reports held files, and continues with a retry', async () => {
    const { id, email } = await world.member();
    const erasureId = String((await order(id, email)).body['uuid']);
    for (const service of others) await answer(service, erasureId, service === 'media' ? { held: 1 } : {});
    expect((await reaches(erasureId, 'held')).services.find(({ service }) => service === 'media')).toMatchObject({
      status: 'held',
      held: 1,
    });
    const sent = () => orders.filter((entry) => entry.erasureId === erasureId).length;
    await waitFor(() => sent() === 1);
    expect((await world.ask(`/api/admin/erasures/${erasureId}/retry`, root, 'POST')).status).toBe(202);
    await waitFor(() => sent() === 2);
    await answer('media', erasureId);
    await reaches(erasureId, 'done');
  });

  it('is carried out again after a restore, and the ledger says twice', async () => {
    const { id, email } = await world.member();
    const restored = await sql.query('select * from "user" where uuid = $1', [id]);
    const erasureId = String((await order(id, email)).body['uuid']);
    for (const service of others) await answer(service, erasureId);
    await reaches(erasureId, 'done');
    // As the restore does: the account is back, and its erasure is opened again.
    await sql.query('insert into "user" select * from jsonb_populate_record(null::"user", $1)', [
      JSON.stringify(restored.rows[0]),
    ]);
    await sql.query(
      `update erasure set status = 'running', round = 2, user_id = $2, finished_at = null, sent_at = 'epoch' where uuid = $1`,
      [erasureId, id],
    );
    await waitFor(() => orders.some((entry) => entry.erasureId === erasureId && entry.round === 2));
    expect(await world.row(id)).toBeUndefined();
    for (const service of others) await answer(service, erasureId, { round: 2, counts: { files: 0 } });
    const done = await reaches(erasureId, 'done');
    expect(done.rounds.map(({ round, counts }) => [round, counts['accounts']])).toEqual([
      [1, 1],
      [2, 1],
    ]);
    expect(done.rounds.every(({ finished_at }) => finished_at !== null)).toBe(true);
  });

  it('is carried out again for an account that a backup brought back without the restore command', async () => {
    const { id, email } = await world.member();
    const restored = await sql.query('select * from "user" where uuid = $1', [id]);
    const erasureId = String((await order(id, email)).body['uuid']);
    for (const service of others) await answer(service, erasureId);
    await reaches(erasureId, 'done');
    await sql.query('insert into "user" select * from jsonb_populate_record(null::"user", $1)', [
      JSON.stringify(restored.rows[0]),
    ]);
    const started = await startIdentity(backends);
    await waitFor(() => orders.some((entry) => entry.erasureId === erasureId && entry.round === 2));
    expect(await world.row(id)).toBeUndefined();
    expect(await ledgerOf(erasureId)).toMatchObject({ status: 'running', round: 2 });
    await started.stop();
  });

  it('cannot be hidden by the service: the ledger is append-only for its role', async () => {
    const { rows } = await sql.query(
      `select has_table_privilege('identity', 'erasure', 'delete') as deletes,
              has_table_privilege('identity', 'erasure_report', 'update') as rewrites,
              has_column_privilege('identity', 'erasure', 'subject_hash', 'update') as renames`,
    );
    expect(rows).toEqual([{ deletes: false, rewrites: false, renames: false }]);
  });
});
