import { copyFile, mkdir, readdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { AnswerOf, mediaRoutes, WatchSourceInput } from '@overtone/contracts';
import { createObjectStore } from '@overtone/object-store';
import { startS3 } from '@overtone/testkit/s3';
import { cleanUpAfterFile, createFolder } from '@overtone/testkit/cleanup';
import { env } from '../env.ts';
import { createMedia } from '../media.ts';
import { newUser, waitFor, wav } from '../../test/start-media.ts';
import { hashOf, place, startWatching } from '../../test/watching.ts';
import { watchSourceOf } from '@overtone/testkit';

type Decisions = AnswerOf<(typeof mediaRoutes)['watchDecisions']>;
type TestResult = AnswerOf<(typeof mediaRoutes)['testWatchSource']>;

const elsewhere = await createFolder();
const [{ root, media, boss, create, watchSource }, s3] = await Promise.all([startWatching(), startS3()]);
cleanUpAfterFile(() => s3.stop());
const bucket = createObjectStore({
  S3_ENDPOINT: s3.url,
  S3_BUCKET: s3.bucket,
  S3_REGION: 'us-east-1',
  S3_ACCESS_KEY_ID: s3.accessKeyId,
  S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
});
cleanUpAfterFile(async () => bucket.close());
const objects = createObjectStore({ OBJECT_STORE_DIR: media.folder, S3_REGION: 'x' });
const long = 400_000;

describe('a watched folder', () => {
  it(
    'imports a recording for the owner with its folders as tags, and says so',
    async () => {
      const { folder, until, owner, read, hashes, uuid } = await watchSource('plain');
      await place(join(folder, 'Team/Budget talk.wav'), wav(1));
      const { file_uuid: id } = await until('Team/Budget talk.wav', 'imported');
      expect(await hashes()).toEqual([hashOf(wav(1))]);
      const event = await waitFor(() => media.eventsOf('evt.media.file.uploaded.v1', String(id))[0]);
      expect(event.data).toMatchObject({ source: 'watch', ownerId: owner.userId });
      const { body: detail } = await media.json<{ title: string; status: string }>(owner, 'GET', `/api/files/${id}`);
      expect(detail).toMatchObject({ title: 'Budget talk', status: 'uploaded' });
      const { body: tags } = await media.json<{ name: string; usage_count: number }[]>(owner, 'GET', '/api/tags');
      expect(tags).toEqual([expect.objectContaining({ name: 'Team', usage_count: 1 })]);
      const metrics = await (await fetch(`${media.internal}/metrics`)).text();
      expect(metrics).toMatch(/files_uploaded_total\{source="watch"\} [1-9]/);
      expect(metrics).toContain(`media_watch_source_up{source="${uuid.slice(0, 8)}"} 1`);
      expect(await read()).toMatchObject({ status: 'available', files: 1, counts: { imported: 1 }, has_events: true });
    },
    long,
  );

  it(
    'imports a renamed or copied recording once, also one with preserved times',
    async () => {
      const { folder, until, hashes } = await watchSource('copies');
      const first = await place(join(folder, 'a.wav'), wav(2));
      await until('a.wav', 'imported');
      await rename(first, join(folder, 'renamed.wav'));
      await until('renamed.wav', 'duplicate');
      await mkdir(join(folder, 'deep/er'), { recursive: true });
      await copyFile(join(folder, 'renamed.wav'), join(folder, 'deep/er/copy.wav'));
      await utimes(join(folder, 'deep/er/copy.wav'), new Date(0), new Date(0));
      await until('deep/er/copy.wav', 'duplicate');
      expect(await hashes()).toEqual([hashOf(wav(2))]);
    },
    long,
  );

  it(
    'imports new content that replaced a file with the same size and time',
    async () => {
      const { folder, until, hashes } = await watchSource('replaced');
      const file = await place(join(folder, 'a.wav'), wav(3));
      const time = new Date(Date.now() - 60_000);
      await utimes(file, time, time);
      const { file_uuid: before } = await until('a.wav', 'imported');
      await writeFile(file, wav(4));
      await utimes(file, time, time);
      await waitFor(async () => (await until('a.wav', 'imported')).file_uuid !== before);
      expect(await hashes()).toEqual([hashOf(wav(3)), hashOf(wav(4))].toSorted());
    },
    long,
  );

  it(
    'keeps a recording imported when only the times of its file change',
    async () => {
      const { folder, until, decisionOf, hashes } = await watchSource('touched');
      const file = await place(join(folder, 'a.wav'), wav(6));
      const { file_uuid: before } = await until('a.wav', 'imported');
      const touched = new Date(Date.now() - 1_000);
      await utimes(file, touched, touched);
      const after = await waitFor(async () => {
        const found = await decisionOf('a.wav');
        const isNew = found && Math.abs(new Date(found.modified_at ?? 0).getTime() - touched.getTime()) < 2;
        return isNew && found.decision !== 'waiting' ? found : undefined;
      });
      expect(after).toMatchObject({ decision: 'imported', file_uuid: before });
      expect(await hashes()).toEqual([hashOf(wav(6))]);
    },
    long,
  );

  it(
    'says why it imports nothing of a folder that is nested too deeply',
    async () => {
      const { folder, decisions } = await watchSource('nested');
      const deep = join(folder, ...Array.from({ length: 66 }, () => 'd'));
      await mkdir(deep, { recursive: true });
      await place(join(deep, 'a.wav'), wav(7));
      const found = await waitFor(async () => (await decisions()).items[0]);
      expect(found.reason).toContain('nested too deeply');
    },
    long,
  );

  it(
    'never imports a file again that its owner deleted',
    async () => {
      const { folder, owner, until, hashes, decisions } = await watchSource('deleted');
      const file = await place(join(folder, 'a.wav'), wav(5));
      const { file_uuid: id } = await until('a.wav', 'imported');
      await media.json(owner, 'DELETE', `/api/files/${id}`);
      await media.json(owner, 'DELETE', `/api/files/bin/${id}`);
      await rename(file, join(folder, 'again.wav'));
      expect((await until('again.wav', 'duplicate')).reason).toContain('deleted this recording');
      expect(await hashes()).toEqual([]);
      expect((await decisions('&decision=imported')).items).toEqual([
        expect.objectContaining({ path: 'a.wav', gone_at: expect.any(String) }),
      ]);
    },
    long,
  );

  it(
    'lists every decision with its reason, searchable and in pages',
    async () => {
      const options = { exclude: ['*.part'], min_bytes: 10, max_bytes: 100_000, max_age_days: 30 };
      const { folder, until, decisions, path } = await watchSource('reasons', options);
      await place(join(folder, 'half.wav.part'), wav(6));
      await place(join(folder, 'empty.wav'), Buffer.alloc(0));
      await place(join(folder, 'large.wav'), wav(7, 60_000));
      await place(join(folder, 'notes.txt'), Buffer.from('These are only notes, not a recording.'));
      const old = await place(join(folder, 'old.wav'), wav(8));
      await utimes(old, new Date(2020, 1, 1), new Date(2020, 1, 1));
      await until('half.wav.part', 'excluded');
      await until('empty.wav', 'too_small');
      await until('large.wav', 'too_large');
      await until('notes.txt', 'not_media');
      await until('old.wav', 'too_old');
      const all = await decisions();
      expect(all.total).toBe(5);
      for (const item of all.items) expect(item.reason).toMatch(/\.$/);
      expect((await decisions('&search=LARGE')).items.map((item) => item.path)).toEqual(['large.wav']);
      expect((await decisions('&search=_')).total).toBe(0);
      expect((await decisions('&decision=too_old')).total).toBe(1);
      const { body } = await media.json<Decisions>(boss, 'GET', `${path}/decisions?page_size=2&page=3`);
      expect(body.items).toHaveLength(1);
    },
    long,
  );

  it(
    'gives files to the account that the first folder is named after, and waits for a missing account',
    async () => {
      const { folder, until, hashes } = await watchSource('people', { owner_rule: 'first_folder', owner: '' });
      const ada = newUser();
      media.accounts.set('ada@example.org', ada.userId);
      await place(join(folder, 'ada@example.org/calls/a.wav'), wav(9));
      await place(join(folder, 'unknown/b.wav'), wav(10));
      await place(join(folder, 'top.wav'), wav(11));
      await until('ada@example.org/calls/a.wav', 'imported');
      expect((await until('unknown/b.wav', 'owner_unknown')).reason).toContain('unknown');
      await until('top.wav', 'owner_unknown');
      expect(await hashes(ada.userId)).toEqual([hashOf(wav(9))]);
    },
    long,
  );

  it(
    'adds files to the collection that their folder is named after, and to the existing one of their owner',
    async () => {
      const { folder, until, owner } = await watchSource('grouped', { folders_as: 'collection' });
      const create = { name: 'Board' };
      const { body: board } = await media.json<{ uuid: string }>(owner, 'POST', '/api/collections', create);
      await place(join(folder, 'board/May/a.wav'), wav(700));
      await place(join(folder, 'Interviews/b.wav'), wav(701));
      await place(join(folder, 'Interviews/c.wav'), wav(702));
      await place(join(folder, 'top.wav'), wav(703));
      for (const file of ['board/May/a.wav', 'Interviews/b.wav', 'Interviews/c.wav', 'top.wav'])
        await until(file, 'imported');
      type List = { items: { uuid: string; name: string; media_count: number; user_id: string }[] };
      const { body: list } = await media.json<List>(owner, 'GET', '/api/collections');
      expect(list.items).toMatchObject([
        { uuid: board.uuid, name: 'Board', media_count: 1, user_id: owner.userId },
        { name: 'Interviews', media_count: 2, user_id: owner.userId },
      ]);
      const { body: tags } = await media.json<{ name: string }[]>(owner, 'GET', '/api/tags');
      expect(tags.map(({ name }) => name)).toEqual(['May']);
    },
    long,
  );

  it(
    'refuses links that lead out of it, folders behind links and special files',
    async () => {
      const { folder, until, hashes } = await watchSource('links');
      const secret = await place(join(elsewhere, 'secret.wav'), wav(12));
      await symlink(secret, join(folder, 'out.wav'));
      await symlink(elsewhere, join(folder, 'out'));
      await symlink(join(folder, 'missing'), join(folder, 'broken.wav'));
      await place(join(folder, 'inside.wav'), wav(13));
      await symlink(join(folder, 'inside.wav'), join(folder, 'link.wav'));
      expect((await until('out.wav', 'link_refused')).reason).toContain('leads out');
      expect((await until('out', 'link_refused')).reason).toContain('leads out');
      await until('broken.wav', 'link_refused');
      const decided = await Promise.all(
        ['inside.wav', 'link.wav'].map((file) =>
          Promise.any([until(file, 'imported'), until(file, 'duplicate')]).then(({ decision }) => decision),
        ),
      );
      expect(decided.toSorted()).toEqual(['duplicate', 'imported']);
      expect(await hashes()).toEqual([hashOf(wav(13))]);
    },
    long,
  );

  it.each([
    ['delete', ''],
    ['move', join(root, 'after-move-done')],
  ] as const)(
    '%ss the file after a verified import only',
    async (after, target) => {
      if (target !== '') await mkdir(target);
      const { folder, until, decisionOf, hashes } = await watchSource(`after-${after}`, { after, move_to: target });
      await place(join(folder, 'sub/a.wav'), wav(after === 'delete' ? 14 : 15));
      await place(join(folder, 'notes.txt'), Buffer.from('These are only notes, not a recording.'));
      await until('sub/a.wav', 'imported');
      await waitFor(async () => (await decisionOf('sub/a.wav'))?.after_state === 'done');
      await until('notes.txt', 'not_media');
      expect(await readdir(folder, { recursive: true })).toEqual(['notes.txt', 'sub']);
      if (target !== '') expect(await readdir(join(target, 'sub'))).toEqual(['a.wav']);
      expect(await hashes()).toHaveLength(1);
    },
    long,
  );

  it(
    'keeps the file when its stored recording is lost, and says why',
    async () => {
      const { folder, until, decisionOf, update, owner } = await watchSource('lost', { poll_seconds: 3_600 });
      await place(join(folder, 'a.wav'), wav(16));
      const { file_uuid: id } = await until('a.wav', 'imported');
      await objects.deletePrefix(`files/${id}/`);
      await media.query("update watch_decision set after_state = 'pending' where media_file_id = $1", id);
      await update({ after: 'delete' });
      await waitFor(async () => (await decisionOf('a.wav'))?.after_state === 'failed');
      expect((await decisionOf('a.wav'))?.reason).toContain('not deleted');
      expect(await readdir(folder)).toEqual(['a.wav']);
      expect(owner.role).toBe('user');
    },
    long,
  );
});

/** The status of the readiness, and its check of the watch sources. */
async function watchCheck(): Promise<unknown[]> {
  const response = await fetch(`${media.internal}/health/ready`);
  const { checks } = (await response.json()) as { checks: Record<string, string> };
  return [response.status, checks['watch_sources']];
}

describe('a source that disappears', () => {
  it(
    'is unavailable, keeps what was imported, and continues when it is back',
    async () => {
      const { folder, until, read, hashes, decisionOf, uuid } = await watchSource('unmounted');
      await place(join(folder, 'a.wav'), wav(20));
      await until('a.wav', 'imported');
      await rename(folder, `${folder}-away`);
      const lost = await waitFor(async () => {
        const source = await read();
        return source.status === 'unavailable' ? source : undefined;
      });
      expect(lost).toMatchObject({ error_code: 'folder_missing', files: 1, counts: { imported: 1 } });
      expect(await (await fetch(`${media.internal}/metrics`)).text()).toContain(
        `media_watch_source_up{source="${uuid.slice(0, 8)}"} 0`,
      );
      // Other sources may be unavailable for a moment.
      const found = `error: storage_unavailable: unmounted: ${folder} is missing.`;
      await waitFor(async () => (await watchCheck()).join() === `200,${found}`);
      // The empty folder that is left where a file system was mounted.
      await mkdir(folder);
      await waitFor(async () => (await read()).error_code === 'not_mounted');
      expect((await decisionOf('a.wav'))?.gone_at).toBeNull();
      await rm(folder, { recursive: true });
      await rename(`${folder}-away`, folder);
      await place(join(folder, 'b.wav'), wav(21));
      await until('b.wav', 'imported');
      expect(await read()).toMatchObject({ status: 'available', error_code: null });
      await waitFor(async () => (await watchCheck()).join() === '200,ok');
      expect(await hashes()).toHaveLength(2);
    },
    long,
  );

  it(
    'keeps imported files while the disk of the folder for them is not mounted, and moves them afterwards',
    async () => {
      const target = join(root, 'unmounted-target');
      await mkdir(target);
      const { folder, until, decisionOf } = await watchSource('kept', { after: 'move', move_to: target });
      await rename(target, `${target}-away`);
      await mkdir(target);
      await place(join(folder, 'a.wav'), wav(23));
      await until('a.wav', 'imported');
      const failed = await waitFor(async () => {
        const found = await decisionOf('a.wav');
        return found?.after_state === 'failed' ? found : undefined;
      });
      expect(failed.reason).toContain('is its disk mounted?');
      expect([await readdir(target), await readdir(folder)]).toEqual([[], ['a.wav']]);
      await rm(target, { recursive: true });
      await rename(`${target}-away`, target);
      await waitFor(async () => (await decisionOf('a.wav'))?.after_state === 'done');
      expect(await readdir(target)).toContain('a.wav');
    },
    long,
  );

  it(
    'may be emptied by its users: nothing is deleted in the library',
    async () => {
      const { folder, until, read, hashes, decisionOf } = await watchSource('emptied');
      await place(join(folder, 'a.wav'), wav(22));
      await until('a.wav', 'imported');
      await rm(join(folder, 'a.wav'));
      await waitFor(async () => (await decisionOf('a.wav'))?.gone_at);
      expect(await read()).toMatchObject({ status: 'available', files: 0 });
      expect(await hashes()).toHaveLength(1);
    },
    long,
  );
});

describe('several replicas', () => {
  it(
    'scan a source one at a time, and another one continues when the first has stopped',
    async () => {
      const second = createMedia(env(media.environment));
      await second.start();
      try {
        const { folder, hashes, uuid, until } = await watchSource('replicas');
        for (let i = 0; i < 20; i += 1) await place(join(folder, `${i}.wav`), wav(300 + i));
        await waitFor(async () => (await hashes()).length === 20);
        // The process that holds the source stopped without releasing it.
        await media.query(
          "update watch_source set holder = gen_random_uuid(), lease_until = now() + interval '3 s' where uuid = $1",
          uuid,
        );
        await place(join(folder, 'late.wav'), wav(400));
        await until('late.wav', 'imported');
        expect(await hashes()).toHaveLength(21);
      } finally {
        await second.stop();
      }
    },
    long,
  );
});

describe('a watched bucket', () => {
  const settings = {
    kind: 's3' as const,
    path: '',
    s3_endpoint_url: s3.url,
    s3_bucket: s3.bucket,
    s3_access_key_id: s3.accessKeyId,
    s3_secret_key: s3.secretAccessKey,
  };

  it(
    'imports the objects below its prefix once, and moves them afterwards',
    async () => {
      await bucket.put('inbox/team/a.wav', wav(500));
      await bucket.put('inbox/b.wav', wav(501));
      await bucket.put('inbox/copy.wav', wav(501));
      await bucket.put('inbox/notes.txt', 'These are only notes, not a recording.');
      await bucket.put('other/c.wav', wav(502));
      const change = { ...settings, s3_prefix: 'inbox/', after: 'move' as const, move_to: 'done/' };
      const { until, hashes, decisionOf, read } = await watchSource('bucket', change);
      await until('team/a.wav', 'imported');
      await until('notes.txt', 'not_media');
      await waitFor(async () => (await decisionOf('team/a.wav'))?.after_state === 'done');
      await waitFor(async () => (await hashes()).length === 2);
      const keys = async (prefix: string): Promise<string[]> => {
        const found: string[] = [];
        for await (const { key } of bucket.list(prefix)) found.push(key);
        return found;
      };
      await waitFor(async () => (await keys('inbox/')).length === 1);
      expect(await keys('inbox/')).toEqual(['inbox/notes.txt']);
      expect(await keys('done/')).toEqual(['done/b.wav', 'done/copy.wav', 'done/team/a.wav']);
      expect(await hashes()).toEqual([hashOf(wav(500)), hashOf(wav(501))].toSorted());
      expect(await read()).toMatchObject({ s3_secret_key: null, s3_secret_key_is_set: true });
    },
    long,
  );

  it(
    'that is missing is unavailable',
    async () => {
      const { read } = await watchSource('no-bucket', { ...settings, s3_bucket: 'missing' });
      await waitFor(async () => (await read()).error_code === 'bucket_missing');
    },
    long,
  );

  it(
    'has a sealed key, which is not sent to another server',
    async () => {
      const { uuid, update } = await watchSource('sealed', { ...settings, s3_prefix: 'sealed/' });
      const stored = await media.query('select value from media_settings where key = $1', `watch.key-${uuid}`);
      expect(JSON.stringify(stored)).toContain('key_id');
      expect(JSON.stringify(stored)).not.toContain(s3.secretAccessKey);
      const moved = { s3_endpoint_url: 'http://127.0.0.1:8999', s3_secret_key: undefined };
      expect(await update(moved)).toMatchObject({ status: 400, body: { code: 'secret_required' } });
      expect(await update({ s3_secret_key: undefined })).toMatchObject({
        status: 200,
        body: { s3_secret_key_is_set: true },
      });
    },
    long,
  );

  it.each(['http://169.254.169.254/', 'http://10.0.0.1:9000', 'file:///etc', 'http://localhost:2'])(
    'at the refused address %s is not contacted',
    async (address) => {
      const refused = await create(
        watchSourceOf({ ...settings, name: 'x', owner: 'plain@example.org', s3_endpoint_url: address }),
      );
      expect([refused.status, refused.body.code]).toEqual([400, 'url_refused']);
    },
  );
});

describe('the administration of watch sources', () => {
  it('tests a source without importing anything', async () => {
    const folder = join(root, 'tested');
    await place(join(folder, 'a.wav'), wav(600));
    await place(join(folder, 'b.txt'), Buffer.from('b'));
    media.accounts.set('tester@example.org', newUser().userId);
    const test = async (change: Partial<WatchSourceInput>) => {
      const source = watchSourceOf({ path: folder, owner: 'tester@example.org', ...change });
      return (await media.json<TestResult>(boss, 'POST', '/api/admin/watch-sources/test', { source })).body;
    };
    expect(await test({ include: ['*.wav'] })).toEqual({
      ok: true,
      error_code: null,
      error: null,
      files: 2,
      matching: 1,
      examples: ['a.wav'],
    });
    expect(await test({ path: join(root, 'missing') })).toMatchObject({
      ok: false,
      error_code: 'watch_folder_refused',
      error: `${join(root, 'missing')} is missing.`,
    });
  });

  it('refuses folders outside of the allowed ones, also through links and dots, and owners that do not exist', async () => {
    media.accounts.set('owner@example.org', newUser().userId);
    await symlink(elsewhere, join(root, 'exit'));
    const refused = [
      elsewhere,
      `${root}/../${elsewhere.split('/').at(-1)}`,
      join(root, 'exit'),
      'relative',
      '/',
      `${root}-not`,
    ];
    for (const path of refused) {
      const answer = await create(watchSourceOf({ path, owner: 'owner@example.org' }));
      expect([path, answer.status, answer.body.code]).toEqual([path, 400, 'watch_folder_refused']);
    }
    const unknown = await create(watchSourceOf({ path: root, owner: 'unknown@example.org' }));
    expect([unknown.status, unknown.body.code]).toEqual([400, 'watch_owner_unknown']);
    const moved = await create(
      watchSourceOf({ path: join(root, 'plain'), owner: 'owner@example.org', after: 'move', move_to: root }),
    );
    expect([moved.status, moved.body.code]).toEqual([400, 'watch_settings_invalid']);
  });

  it(
    'records who created, changed and removed a source, and removes its decisions and key',
    async () => {
      const actions: unknown[] = [];
      const audit = await media.connectAs('identity');
      audit.nc().subscribe('evt.transcription.operation.performed.v1', {
        callback: (_, message) => void actions.push(message.json()),
      });
      await audit.nc().flush();
      const { uuid, update, path, folder, until } = await watchSource('audited');
      await place(join(folder, 'a.wav'), wav(601));
      await until('a.wav', 'imported');
      await update({ enabled: false });
      expect((await media.call(boss, 'DELETE', path)).status).toBe(204);
      await waitFor(() => actions.length >= 3);
      expect(actions).toEqual(
        ['watch_source_created', 'watch_source_changed', 'watch_source_deleted'].map((action) =>
          expect.objectContaining({ action, actorId: boss.userId, details: expect.objectContaining({ source: uuid }) }),
        ),
      );
      expect(await media.query('select 1 from watch_decision where source_id = $1', uuid)).toEqual([]);
      expect((await media.call(boss, 'GET', `${path}/decisions`)).status).toBe(404);
    },
    long,
  );

  it(
    'scans at once when an administrator asks for it',
    async () => {
      const options = { poll_seconds: 3_600, polling_only: true, stable_seconds: 1 };
      const { folder, path, until, read } = await watchSource('asked', options);
      await waitFor(async () => (await read()).status === 'available');
      await place(join(folder, 'a.wav'), wav(602));
      await media.json(boss, 'POST', `${path}/scan`);
      await until('a.wav', 'imported');
    },
    long,
  );

  it(
    'switches a source off while its folder and its owner are missing, and checks both when it is switched on',
    async () => {
      const { folder, owner, update } = await watchSource('gone');
      await rm(folder, { recursive: true });
      media.accounts.delete('gone@example.org');
      expect(await update({ enabled: false })).toMatchObject({ status: 200, body: { enabled: false } });
      expect(await update({ enabled: true })).toMatchObject({ status: 400, body: { code: 'watch_folder_refused' } });
      await mkdir(folder);
      expect(await update({ enabled: true })).toMatchObject({ status: 400, body: { code: 'watch_owner_unknown' } });
      media.accounts.set('gone@example.org', owner.userId);
      expect(await update({ enabled: true })).toMatchObject({ status: 200, body: { owner_uuid: owner.userId } });
    },
    long,
  );

  it(
    'does not scan a source that is switched off',
    async () => {
      const { folder, decisions, read } = await watchSource('off', { enabled: false });
      await place(join(folder, 'a.wav'), wav(603));
      // Allowed: nothing announces that no scan follows; the time is that of two scans.
      await sleep(4_000);
      expect([(await decisions()).total, (await read()).status]).toEqual([0, 'checking']);
    },
    long,
  );
});
