import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { AnswerOf, FileObject, mediaRoutes } from '@overtone/contracts';
import { settingsByKey } from '@overtone/testkit';
import { transcribed, type Run } from '../../test/runs.ts';
import { newUser, problemOf, startMedia, waitFor, type TestUser } from '../../test/start-media.ts';

type Routes = typeof mediaRoutes;
type Rule = AnswerOf<Routes['createRetentionRule']>;
type RetentionRun = AnswerOf<Routes['runRetention']>;
type Preview = AnswerOf<Routes['previewRetentionRule']>;
type Hold = AnswerOf<Routes['placeLegalHold']>;

const media = await startMedia();
const boss = newUser('super_admin');
const base = '/api/admin/retention';

async function createRule(fields: object): Promise<Rule> {
  const { status, body } = await media.json<Rule>(boss, 'POST', `${base}/rules`, {
    name: 'rule',
    enabled: true,
    ...fields,
  });
  expect(status).toBe(201);
  return body;
}

async function preview(rule: Rule, query = ''): Promise<Preview> {
  return (await media.json<Preview>(boss, 'GET', `${base}/rules/${rule.uuid}/preview${query}`)).body;
}

async function removeRules(): Promise<void> {
  const { body } = await media.json<Rule[]>(boss, 'GET', `${base}/rules`);
  for (const { uuid } of body) await media.json(boss, 'DELETE', `${base}/rules/${uuid}`);
}

async function ended(id: string): Promise<RetentionRun> {
  return waitFor(async () => {
    const { body } = await media.json<{ items: RetentionRun[] }>(boss, 'GET', `${base}/runs`);
    return body.items.find(({ uuid, status }) => uuid === id && ['success', 'failed'].includes(status));
  });
}

async function runNow(): Promise<RetentionRun> {
  const { status, body } = await media.json<RetentionRun>(boss, 'POST', `${base}/runs`);
  expect(status).toBe(202);
  return ended(body.uuid);
}

function setPercent(max_percent: number) {
  return media.json(boss, 'PUT', `${base}/settings`, { max_percent });
}

/** A transcribed file with a tag of its own, so that rules of one test meet its files only. */
async function tagged(tag: string, owner?: TestUser): Promise<Run> {
  const run = await transcribed(media, owner);
  await media.json(run.owner, 'POST', `/api/tags/files/${run.fileId}/tags`, { name: tag });
  return run;
}

async function objectsOf({ objects, fileId }: Run): Promise<number> {
  let count = 0;
  for (const prefix of [`files/${fileId}/`, `derived/${fileId}/`])
    for await (const _ of objects.list(prefix)) count += 1;
  return count;
}

async function hold(person: TestUser, body: object) {
  return media.json<Hold>(person, 'POST', '/api/admin/legal-holds', { reason: 'case 12', ...body });
}

async function isInBin({ owner, fileId }: Run): Promise<boolean> {
  const { body } = await media.json<{ items: { uuid: string }[] }>(owner, 'GET', '/api/files/bin');
  return body.items.some(({ uuid }) => uuid === fileId);
}

describe('a retention rule', () => {
  it('is switched off when it is added, and needs a condition', async () => {
    const { body } = await media.json<Rule>(boss, 'POST', `${base}/rules`, {
      name: 'old',
      removes: 'everything',
      conditions: { older_than_days: 5 },
    });
    expect(body.enabled).toBe(false);
    expect(
      (await media.json(boss, 'POST', `${base}/rules`, { name: 'all', removes: 'everything', conditions: {} })).status,
    ).toBe(422);
    await removeRules();
  });

  it('previews exactly the files that a run then moves to the bin, with their reasons', async () => {
    await setPercent(100);
    const [first, second, other] = [await tagged('bin rule'), await tagged('Bin-Rule'), await tagged('elsewhere')];
    await media.query(`update media_file set upload_time = now() - interval '40 days' where uuid = $1`, first.fileId);
    const rule = await createRule({
      removes: 'everything',
      conditions: { any_tag: ['bin_rule'], older_than_days: 30 },
    });
    const shown = await preview(rule);
    expect(shown).toMatchObject({ total: 1, would_be_held: false, legal_holds: 0, earlier_rules: 0 });
    expect(shown.items).toMatchObject([
      { file_uuid: first.fileId, reasons: ['age', 'tag'], owner_uuid: first.owner.userId },
    ]);
    expect(shown.total_bytes).toBe(shown.items[0]?.bytes);
    const run = await runNow();
    expect(run.rules).toMatchObject([{ status: 'admitted', planned: 1, removed: 1, skipped: 0 }]);
    expect(await Promise.all([first, second, other].map(isInBin))).toEqual([true, false, false]);
    const audited = await waitFor(() =>
      media
        .eventsOf('evt.media.action.performed.v1', first.fileId)
        .find(({ data }) => data['action'] === 'file_deleted'),
    );
    expect(audited.data).toMatchObject({ actorId: null, details: { rule: 'rule' } });
    expect((await media.json(first.owner, 'POST', `/api/files/${first.fileId}/restore`)).status).toBe(200);
    await removeRules();
  });

  it('applies to the files of a collection that its owner or theirs has added, and to none after it was deleted', async () => {
    await setPercent(100);
    const files = await Promise.all([1, 2, 3].map(() => transcribed(media)));
    const [own, foreign, other] = files as [Run, Run, Run];
    const { body: collection } = await media.json<{ uuid: string }>(own.owner, 'POST', '/api/collections', {
      name: 'Expired talks',
    });
    const path = `/api/collections/${collection.uuid}`;
    await media.json(own.owner, 'POST', `${path}/media`, { media_file_ids: [own.fileId] });
    // An editor of the collection who may only read the other file must not have it deleted.
    const editor = newUser();
    await media.json(own.owner, 'POST', `${path}/shares`, {
      target_type: 'user',
      target_uuid: editor.userId,
      permission: 'editor',
    });
    await media.json(foreign.owner, 'PUT', `/api/files/${foreign.fileId}/shares`, {
      user_uuid: editor.userId,
      permission: 'viewer',
    });
    const added = await media.json<{ results: { error: unknown }[] }>(editor, 'POST', `${path}/media`, {
      media_file_ids: [foreign.fileId],
    });
    expect(added.body.results).toMatchObject([{ error: null }]);
    const rule = await createRule({ removes: 'everything', conditions: { any_collection: [collection.uuid] } });
    expect((await preview(rule)).items).toMatchObject([{ file_uuid: own.fileId, reasons: ['collection'] }]);
    expect((await runNow()).rules).toMatchObject([{ planned: 1, removed: 1 }]);
    expect(await Promise.all([own, foreign, other].map(isInBin))).toEqual([true, false, false]);
    await media.json(own.owner, 'POST', `/api/files/${own.fileId}/restore`);
    await media.json(own.owner, 'DELETE', path);
    expect((await preview(rule)).total).toBe(0);
    await removeRules();
  });

  it('removes the recording with everything derived from it, and keeps the transcript', async () => {
    const run = await tagged('audio rule');
    expect(await objectsOf(run)).toBeGreaterThan(2);
    await createRule({ removes: 'recording', conditions: { any_tag: ['audio rule'] } });
    expect((await runNow()).rules).toMatchObject([{ removed: 1 }]);
    const file = (await run.readFile()) as unknown as FileObject & { total_segments: number };
    expect(file).toMatchObject({ total_segments: 3, has_waveform: false, has_thumbnail: false, status: 'completed' });
    expect(Date.parse(file.recording_removed_at ?? '')).toBeGreaterThan(Date.now() - 60_000);
    await waitFor(async () => (await objectsOf(run)) === 0);
    for (const part of ['content', 'waveform', 'thumbnail'])
      expect(await problemOf(await media.call(run.owner, 'GET', `/api/files/${run.fileId}/${part}`))).toEqual([
        410,
        'recording_removed',
      ]);
    const again = await media.call(run.owner, 'POST', `/api/files/${run.fileId}/reprocess`, {
      body: '{}',
      headers: { 'content-type': 'application/json' },
    });
    expect(await problemOf(again)).toEqual([410, 'recording_removed']);
    expect((await media.call(run.owner, 'GET', `/api/files/${run.fileId}/subtitles?subtitle_format=txt`)).status).toBe(
      200,
    );
    expect((await runNow()).rules).toMatchObject([{ planned: 0 }]);
    await removeRules();
  });

  it('leaves a file to the first rule that applies', async () => {
    const run = await tagged('twice');
    const conditions = { any_tag: ['twice'] };
    const [keepText, all] = [
      await createRule({ removes: 'recording', conditions }),
      await createRule({ removes: 'everything', conditions }),
    ];
    expect(await preview(all)).toMatchObject({ total: 0, earlier_rules: 1 });
    const order = await media.json<Rule[]>(boss, 'PUT', `${base}/rules`, { rule_uuids: [all.uuid, keepText.uuid] });
    expect(order.body.map(({ uuid }) => uuid)).toEqual([all.uuid, keepText.uuid]);
    expect((await runNow()).rules.map(({ removed }) => removed)).toEqual([1, 0]);
    expect(await isInBin(run)).toBe(true);
    await removeRules();
  });
});

describe('the last use of a file', () => {
  it('is the day on which it was opened, played or exported, and not listed', async () => {
    const run = await transcribed(media);
    const lastUse = async (use: string): Promise<boolean> => {
      await media.query(`update media_file set last_used_on = '2020-01-01' where uuid = $1`, run.fileId);
      await (
        await media.call(run.owner, use.startsWith('HEAD') ? 'HEAD' : 'GET', use.replace('HEAD ', ''))
      ).arrayBuffer();
      const [row] = await media.query(
        `select last_used_on > '2020-01-01' as used from media_file where uuid = $1`,
        run.fileId,
      );
      return row?.['used'] === true;
    };
    const path = `/api/files/${run.fileId}`;
    for (const use of [path, `${path}/content`, `${path}/subtitles?subtitle_format=srt`])
      expect([use, await lastUse(use)]).toEqual([use, true]);
    for (const use of ['/api/files', `HEAD ${path}/content`, `${path}/waveform`, `${path}/thumbnail`])
      expect([use, await lastUse(use)]).toEqual([use, false]);
  });
});

describe('the brake', () => {
  it('holds a set above the limit until exactly this set is approved', async () => {
    const owner = newUser();
    const runs = [await tagged('many', owner), await tagged('many', owner), await tagged('many', owner)];
    await media.query(`update retention_item set decided_at = now() - interval '2 days'`);
    await setPercent(1);
    const rule = await createRule({ removes: 'everything', conditions: { any_tag: ['many'] } });
    expect(await preview(rule)).toMatchObject({ total: 3, would_be_held: true });
    const held = await runNow();
    const [set] = held.rules;
    expect(set).toMatchObject({ status: 'held', planned: 3, removed: 0 });
    expect(await Promise.all(runs.map(isInBin))).toEqual([false, false, false]);
    const approve = (set_digest: string) =>
      media.json<RetentionRun>(boss, 'POST', `${base}/runs/${held.uuid}/approve`, { rule_uuid: rule.uuid, set_digest });
    expect((await approve('0'.repeat(64))).body).toMatchObject({ code: 'retention_not_held' });
    // A later file is not part of the approved set.
    const late = await tagged('many', owner);
    expect((await approve(set?.set_digest ?? '')).status).toBe(202);
    expect((await ended(held.uuid)).rules).toMatchObject([{ status: 'approved', removed: 3 }]);
    expect(await Promise.all([...runs, late].map(isInBin))).toEqual([true, true, true, false]);
    expect((await approve(set?.set_digest ?? '')).body).toMatchObject({ code: 'retention_not_held' });
    await removeRules();
    await setPercent(100);
  });

  it('keeps files of an approved set that do not fulfil the rule any more', async () => {
    const owner = newUser();
    const [stays, goes] = [await tagged('changed', owner), await tagged('changed', owner)];
    await media.query(`update retention_item set decided_at = now() - interval '2 days'`);
    await setPercent(0.1);
    const rule = await createRule({ removes: 'everything', conditions: { any_tag: ['changed'] } });
    const held = await runNow();
    await media.query(`delete from file_tag where media_file_id = $1`, stays.fileId);
    await media.json(boss, 'POST', `${base}/runs/${held.uuid}/approve`, {
      rule_uuid: rule.uuid,
      set_digest: held.rules[0]?.set_digest,
    });
    expect((await ended(held.uuid)).rules).toMatchObject([{ removed: 1, skipped: 1 }]);
    expect(await Promise.all([stays, goes].map(isInBin))).toEqual([false, true]);
    const { body } = await media.json<{ items: { file_uuid: string; skip_reason: string | null }[] }>(
      boss,
      'GET',
      `${base}/runs/${held.uuid}/files`,
    );
    expect(body.items.find(({ file_uuid }) => file_uuid === stays.fileId)?.skip_reason).toBe('no_longer_applies');
    expect((await media.call(boss, 'GET', `${base}/runs/${randomUUID()}/files`)).status).toBe(404);
    await removeRules();
    await setPercent(100);
  });
});

describe('a run', () => {
  it('is continued by another process, and the one that lost its lease writes nothing more', async () => {
    await setPercent(100);
    const run = await tagged('fenced');
    const rule = await createRule({ removes: 'everything', conditions: { any_tag: ['fenced'] } });
    const [row] = await media.query(
      `insert into retention_run (trigger, status, token, planned_at, lease_until)
       values ('manual', 'running', 7, now(), now() + interval '1 hour') returning uuid`,
    );
    const id = String(row?.['uuid']);
    await media.query(
      `insert into retention_run_rule (run_id, rule_id, position, rule_version, name, removes, status, set_digest, planned, planned_bytes)
       select $1, uuid, position, version, name, removes, 'admitted', 'digest', 1, 1 from retention_rule where uuid = $2`,
      id,
      rule.uuid,
    );
    await media.query(
      `insert into retention_item (run_id, rule_id, media_file_id, bytes) values ($1, $2, $3, 1)`,
      id,
      rule.uuid,
      run.fileId,
    );
    expect((await media.json(boss, 'POST', `${base}/runs`)).body).toMatchObject({ code: 'retention_running' });
    // The other process is silent: its lease ends, and this service takes the run over.
    expect(await isInBin(run)).toBe(false);
    await media.query(`update retention_run set lease_until = now() - interval '1 second' where uuid = $1`, id);
    expect((await ended(id)).rules).toMatchObject([{ removed: 1 }]);
    const [after] = await media.query(`select token from retention_run where uuid = $1`, id);
    expect(after).toEqual({ token: 8 });
    await removeRules();
  });

  it('is started by the schedule once, for all of its times that passed', async () => {
    expect((await media.json(boss, 'PUT', `${base}/settings`, { schedule: '61 * * * *' })).body).toMatchObject({
      code: 'schedule_invalid',
    });
    await media.json(boss, 'PUT', `${base}/settings`, { enabled: true, schedule: '0 4 * * *' });
    const before = await media.query(`select uuid from retention_run`);
    await media.query(`update retention_settings set served_until = now() - interval '3 days'`);
    const scheduled = await waitFor(async () => {
      const rows = await media.query(
        `select status from retention_run where trigger = 'schedule' and status = 'success'`,
      );
      return rows.length > 0 ? rows : undefined;
    });
    expect(scheduled).toHaveLength(1);
    expect(await media.query(`select uuid from retention_run`)).toHaveLength(before.length + 1);
    await media.json(boss, 'PUT', `${base}/settings`, { enabled: false });
  });
});

describe('the settings', () => {
  it('are described with their source, restored by null, and name the field that is refused', async () => {
    const change = async (body: object) =>
      (await media.json<Record<string, unknown>>(boss, 'PUT', `${base}/settings`, body)).body;
    expect(settingsByKey(await change({ max_percent: 7 }))['max_percent']).toMatchObject({
      value: 7,
      source: 'stored',
      default_value: 5,
      unit: 'percent',
    });
    expect(settingsByKey(await change({ max_percent: null, schedule: null }))).toMatchObject({
      max_percent: { value: 5, source: 'default' },
      schedule: { value: '0 2 * * *', source: 'default' },
    });
    expect(await change({ schedule: 'daily' })).toMatchObject({
      code: 'schedule_invalid',
      errors: [{ path: 'schedule' }],
    });
    expect(await change({ max_percent: 0 })).toMatchObject({ code: 'invalid_body', errors: [{ path: 'max_percent' }] });
    expect(await change({})).toMatchObject({ code: 'invalid_request' });
  });
});

describe('a legal hold', () => {
  it('on a file refuses its owner, its administrators, rules, the bin and the database itself', async () => {
    await setPercent(100);
    const admin = newUser('admin');
    const run = await tagged('held');
    const { body: placed, status } = await hold(admin, { file_uuid: run.fileId });
    expect([status, placed.file_uuid]).toEqual([201, run.fileId]);
    expect((await hold(admin, { file_uuid: run.fileId })).body).toMatchObject({ code: 'already_held' });
    for (const person of [run.owner, admin])
      expect(await problemOf(await media.call(person, 'DELETE', `/api/files/${run.fileId}`))).toEqual([
        409,
        'legal_hold',
      ]);
    const rule = await createRule({ removes: 'everything', conditions: { any_tag: ['held'] } });
    expect(await preview(rule)).toMatchObject({ total: 0, legal_holds: 1 });
    expect((await runNow()).rules).toMatchObject([{ planned: 0 }]);
    for (const sql of [
      'delete from media_file where uuid = $1',
      'update media_file set deleted_at = now() where uuid = $1',
      'update media_file set recording_removed_at = now() where uuid = $1',
    ])
      await expect(media.query(sql, run.fileId)).rejects.toThrow('legal hold');
    expect(await media.json(admin, 'DELETE', `/api/admin/legal-holds/${placed.uuid}`)).toMatchObject({ status: 204 });
    expect((await media.call(run.owner, 'DELETE', `/api/files/${run.fileId}`)).status).toBe(204);
    await removeRules();
  });

  it('on an owner keeps files that wait in the bin from expiry and permanent deletion', async () => {
    const run = await transcribed(media);
    await media.call(run.owner, 'DELETE', `/api/files/${run.fileId}`);
    expect((await hold(newUser('admin'), { user_uuid: run.owner.userId })).status).toBe(201);
    expect(await problemOf(await media.call(run.owner, 'DELETE', `/api/files/bin/${run.fileId}`))).toEqual([
      409,
      'legal_hold',
    ]);
    expect(await isInBin(run)).toBe(true);
  });

  it('is placed on one thing that exists, and listed with its reason', async () => {
    const run = await transcribed(media);
    const admin = newUser('admin');
    expect((await hold(admin, {})).status).toBe(422);
    expect((await hold(admin, { file_uuid: run.fileId, user_uuid: run.owner.userId })).status).toBe(422);
    expect((await hold(admin, { file_uuid: '00000000-0000-4000-8000-000000000009' })).status).toBe(404);
    const { body } = await media.json<{ items: Hold[] }>(admin, 'GET', '/api/admin/legal-holds');
    expect(body.items[0]).toMatchObject({ reason: 'case 12' });
  });
});
