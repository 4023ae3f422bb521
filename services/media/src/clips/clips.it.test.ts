import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  clipLimits,
  maskedAudioJobs,
  maskedAudioRpc,
  userErasureOrdered,
  type ClipObject,
  type Problem,
  type RedactionPolicy,
  type ReplyOf,
} from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { createLog, type Bus } from '@overtone/service-kit';
import { cleanUpAfterFile } from '@overtone/testkit/cleanup';
import { connect, type NatsConnection } from 'nats';
import { createDatabaseClient } from '../../test/client.ts';
import { isMissing, transcribed, transcriptOf, type Run } from '../../test/runs.ts';
import { newUser, startMedia, waitFor, type TestUser } from '../../test/start-media.ts';
import { createCopies } from '../copies/copies.service.ts';

type Claimed = Extract<ReplyOf<typeof maskedAudioRpc.claimMaskedAudio>, { outcome: 'claimed' }>;
type Requested = { fileId: string; variant: string };
type Part = { start_time: number; end_time: number; kind: 'sound' | 'video' };

const bytes = Buffer.from(Array.from({ length: 4_000 }, (_, i) => i % 251));
const texts = ['let us begin', 'call me on 415 555 2671 please', 'goodbye'];
/** "415 555 2671" with the margin. */
const phoneTimes = [11, 12.6];
const part: Part = { start_time: 10.5, end_time: 15, kind: 'sound' };

const media = await startMedia();
const boss = newUser('super_admin');
const requests: Requested[] = [];
let worker: Bus;
let nc: NatsConnection;
let run: Run;
let viewer: TestUser;

beforeAll(async () => {
  worker = await media.connectAs('transcription-worker');
  nc = await connect({ servers: media.nats.url });
  cleanUpAfterFile(() => nc.close());
  nc.subscribe(maskedAudioJobs.maskAudio.subject, {
    callback: (_, msg) => void requests.push(msg.json<{ input: Requested }>().input),
  });
  await nc.flush();
});

beforeEach(async () => {
  await setPolicy({ masked_kinds: ['phone'], masked_for: ['viewer', 'editor'], reveal_for: [], audio_masking: 'off' });
  run = await transcribed(media, newUser(), transcriptOf(texts, ['SPEAKER_01']));
  await media.query('update media_file set duration = 30 where uuid = $1', run.fileId);
  viewer = newUser();
  await share(viewer);
});

function setPolicy(policy: Partial<RedactionPolicy>) {
  return media.json(boss, 'PUT', '/api/admin/redaction-policy', policy);
}

function share({ userId }: TestUser) {
  return media.json(run.owner, 'PUT', `/api/files/${run.fileId}/shares`, { user_uuid: userId });
}

async function scanned(): Promise<void> {
  await waitFor(async () => {
    const { body } = await media.json<{ scan_status: string }>(run.owner, 'GET', `/api/files/${run.fileId}/redaction`);
    return body.scan_status === 'scanned' || undefined;
  });
}

function clips(): string {
  return `/api/files/${run.fileId}/clips`;
}

function request<T = ClipObject>(person: TestUser, change: Partial<Part> = {}) {
  return media.json<T>(person, 'POST', clips(), { ...part, ...change });
}

async function codeOf(person: TestUser, change: Partial<Part> = {}) {
  const { status, body } = await request<Problem>(person, change);
  return [status, body.code];
}

function read<T = ClipObject>(person: TestUser, id: string) {
  return media.json<T>(person, 'GET', `${clips()}/${id}`);
}

function download(person: TestUser, id: string, headers: Record<string, string> = {}) {
  return media.call(person, 'GET', `${clips()}/${id}/content`, { headers });
}

/** Does the work of the worker. */
async function claim(): Promise<Claimed & Requested> {
  const requested = await waitFor(() => requests.findLast(({ fileId }) => fileId === run.fileId));
  const reply = await waitFor(async () => {
    const answer = await worker.request(maskedAudioRpc.claimMaskedAudio, requested);
    return answer.outcome === 'claimed' ? answer : undefined;
  });
  return { ...reply, ...requested };
}

async function complete({ fileId, variant, token, target }: Claimed & Requested, contentType = 'audio/mp4') {
  await run.objects.put(target, bytes, { contentType });
  const done = { fileId, variant, token, contentType, bytes: bytes.length };
  return worker.request(maskedAudioRpc.completeMaskedAudio, done);
}

async function make(person: TestUser, change: Partial<Part> = {}): Promise<ClipObject> {
  const { status, body } = await request(person, change);
  expect(status).toBe(202);
  expect(await complete(await claim())).toEqual({ outcome: 'accepted' });
  return body;
}

describe('a clip', () => {
  it('is cut by a worker and downloaded with the title and the time in its name', async () => {
    await media.json(run.owner, 'PUT', `/api/files/${run.fileId}`, { title: 'Talk: über Ada' });
    const { status, body } = await request(run.owner);
    expect(status).toBe(202);
    expect(body).toMatchObject({ kind: 'sound', start_time: 10.5, end_time: 15, state: 'queued', bytes: null });
    const claimed = await claim();
    expect(claimed).toMatchObject({
      mode: 'clip',
      clip: { kind: 'sound', start: 10.5, end: 15, masking: null },
      ranges: [],
      tracks: [0],
    });
    expect((await download(run.owner, body.uuid)).status).toBe(409);
    await complete(claimed);
    expect((await read(run.owner, body.uuid)).body).toMatchObject({ state: 'ready', bytes: bytes.length });
    const answer = await download(run.owner, body.uuid);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('audio/mp4');
    expect(decodeURIComponent(answer.headers.get('content-disposition') ?? '')).toContain(
      'Talk: über Ada 0.00.10-0.00.15.m4a',
    );
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
    const range = await download(run.owner, body.uuid, { range: 'bytes=100-199' });
    expect([range.status, range.headers.get('content-range')]).toEqual([206, `bytes 100-199/${bytes.length}`]);
  });

  it('is in the audit log with its part, and in no other list', async () => {
    await request(run.owner);
    const [event] = await waitFor(() => {
      const found = media
        .eventsOf('evt.media.action.performed.v1', run.fileId)
        .filter(({ data }) => data['action'] === 'clip_requested');
      return found.length > 0 ? found : undefined;
    });
    expect(event?.data).toMatchObject({
      actorId: run.owner.userId,
      details: { kind: 'sound', start: 10.5, end: 15 },
    });
  });

  it('is the same for the same request, and another one for another part or person', async () => {
    const first = await request(run.owner);
    expect((await request(run.owner)).body.uuid).toBe(first.body.uuid);
    expect((await request(run.owner, { end_time: 16 })).body.uuid).not.toBe(first.body.uuid);
    expect((await request(viewer)).body.uuid).not.toBe(first.body.uuid);
  });

  it('is seen only by the person who requested it, and only while that person may read the recording', async () => {
    const { uuid } = await make(viewer);
    expect((await read(viewer, uuid)).status).toBe(200);
    for (const person of [run.owner, boss, newUser()]) {
      expect((await read(person, uuid)).status).toBe(404);
      expect((await download(person, uuid)).status).toBe(404);
    }
    const shares = await media.json<{ uuid: string }[]>(run.owner, 'GET', `/api/files/${run.fileId}/shares`);
    for (const one of [shares.body].flat())
      await media.json(run.owner, 'DELETE', `/api/files/${run.fileId}/shares/${one.uuid}`);
    expect((await download(viewer, uuid)).status).toBe(404);
    expect((await request(viewer)).status).toBe(404);
  });

  it('needs a part of the recording that is neither too short nor too long', async () => {
    for (const [start, end] of [
      [5, 5.1],
      [5, 4],
      [0, clipLimits.maxSeconds + 1],
      [-1, 5],
    ] as const)
      expect((await request(run.owner, { start_time: start, end_time: end })).status).toBe(422);
    expect(await codeOf(run.owner, { start_time: 30, end_time: 31 })).toEqual([400, 'clip_outside_recording']);
    expect((await request(run.owner, { start_time: 29, end_time: 31 })).status).toBe(202);
  });

  it('of video is refused for a recording without video', async () => {
    expect(await codeOf(run.owner, { kind: 'video' })).toEqual([409, 'no_video']);
    await media.query(
      `update media_file set content_type = 'video/mp4', media_info = '{"video_codec": "h264"}' where uuid = $1`,
      run.fileId,
    );
    expect((await request(run.owner, { kind: 'video' })).status).toBe(202);
    expect((await claim()).clip).toMatchObject({ kind: 'video' });
    await media.query(`update media_file set media_info = '{"video_codec": null}' where uuid = $1`, run.fileId);
    expect(await codeOf(run.owner, { kind: 'video', end_time: 20 })).toEqual([409, 'no_video']);
  });

  it(`is refused while ${clipLimits.unfinished} clips of the person are not finished`, async () => {
    const person = run.owner;
    for (let i = 1; i < clipLimits.unfinished; i += 1) await request(person, { end_time: 15 + i });
    const last = await request(person);
    expect(await codeOf(person, { end_time: 25 })).toEqual([429, 'too_many_clips']);
    expect((await request(person)).body.uuid).toBe(last.body.uuid);
    expect((await request(viewer)).status).toBe(202);
  });

  it(`is found for ${clipLimits.keptHours} hours, and not by the account that was erased`, async () => {
    const { uuid } = await make(run.owner);
    const other = await make(viewer);
    await media.query(`update masked_audio set requested_at = now() - interval '23 hours' where clip_id = $1`, uuid);
    expect((await download(run.owner, uuid)).status).toBe(200);
    await media.query(`update masked_audio set requested_at = now() - interval '25 hours' where clip_id = $1`, uuid);
    expect((await download(run.owner, uuid)).status).toBe(404);
    const erasureId = randomUUID();
    await media.emit(userErasureOrdered, { erasureId, round: 1, userId: viewer.userId });
    await waitFor(async () => ((await read(viewer, other.uuid)).status === 404 ? true : undefined));
    const [row] = await media.query('select requested_by from masked_audio where clip_id = $1', other.uuid);
    expect(row).toEqual({ requested_by: null });
  });

  it('that could not be made says so, and is made again by another request', async () => {
    const { body } = await request(run.owner);
    const { fileId, variant, token } = await claim();
    await worker.request(maskedAudioRpc.failMaskedAudio, { fileId, variant, token, message: 'no sound' });
    expect((await read(run.owner, body.uuid)).body.state).toBe('failed');
    const answer = await download(run.owner, body.uuid);
    expect([answer.status, ((await answer.json()) as Problem).code]).toEqual([409, 'clip_failed']);
    expect((await request(run.owner)).body).toMatchObject({ uuid: body.uuid, state: 'queued' });
  });

  it('is made again when its object is missing', async () => {
    const { uuid } = await make(run.owner);
    const [row] = await media.query('select object_key from masked_audio where clip_id = $1', uuid);
    await run.objects.delete(String(row?.['object_key']));
    expect((await read(run.owner, uuid)).body.state).toBe('queued');
    await complete(await claim());
    expect((await read(run.owner, uuid)).body.state).toBe('ready');
  });

  it('is outdated when the recording was replaced, also for a worker', async () => {
    const { uuid } = await make(run.owner);
    await request(run.owner, { end_time: 20 });
    const waiting = await waitFor(() => requests.findLast(({ fileId }) => fileId === run.fileId));
    await media.query(`update media_file set object_key = object_key || '-2' where uuid = $1`, run.fileId);
    const { status, body } = await read<Problem>(run.owner, uuid);
    expect([status, body.code]).toEqual([409, 'clip_outdated']);
    expect((await download(run.owner, uuid)).status).toBe(409);
    await waitFor(async () => {
      const [row] = await media.query('select status from masked_audio where variant = $1', waiting.variant);
      if (row?.['status'] !== 'queued') return true;
      expect(await worker.request(maskedAudioRpc.claimMaskedAudio, waiting)).toEqual({ outcome: 'none' });
      return undefined;
    });
  });

  it('is refused for a recording that was removed or is no recording', async () => {
    const { uuid } = await make(run.owner);
    await media.query('update media_file set recording_removed_at = now() where uuid = $1', run.fileId);
    expect(await codeOf(run.owner)).toEqual([410, 'recording_removed']);
    expect((await download(run.owner, uuid)).status).toBe(410);
    await media.query(
      `update media_file set recording_removed_at = null, content_type = 'text/vtt' where uuid = $1`,
      run.fileId,
    );
    expect(await codeOf(run.owner)).toEqual([409, 'no_recording']);
  });
});

describe('what is masked', () => {
  beforeEach(async () => {
    await setPolicy({ audio_masking: 'beep', reveal_for: ['owner'], withhold_unscanned: true });
    await scanned();
  });

  it('is not audible in a clip, and only what lies in its part', async () => {
    await request(viewer);
    expect(await claim()).toMatchObject({ ranges: [phoneTimes], clip: { masking: 'beep' } });
    await request(viewer, { start_time: 20, end_time: 25 });
    await waitFor(async () => {
      const rows = await media.query(`select ranges from masked_audio where clip ->> 'start' = '20'`);
      return rows.length > 0 || undefined;
    });
    const [row] = await media.query(
      `select ranges, clip from masked_audio where media_file_id = $1 and clip ->> 'start' = '20'`,
      run.fileId,
    );
    expect(row).toMatchObject({ ranges: [], clip: { masking: null } });
  });

  it('is audible for a person who may reveal, which is in the audit log', async () => {
    await setPolicy({ masked_for: ['viewer', 'editor', 'owner'] });
    await request(run.owner);
    expect((await claim()).clip).toMatchObject({ masking: null });
    await waitFor(() =>
      media
        .eventsOf('evt.media.action.performed.v1', run.fileId)
        .find(({ data }) => data['action'] === 'text_revealed'),
    );
  });

  it('makes a clip outdated when more of its part is masked, and not when another part is', async () => {
    await setPolicy({ masked_kinds: ['email'] });
    const { uuid } = await make(viewer);
    const other = await make(viewer, { start_time: 20, end_time: 25 });
    await setPolicy({ masked_kinds: ['email', 'phone'] });
    const { status, body } = await read<Problem>(viewer, uuid);
    expect([status, body.code]).toEqual([409, 'clip_outdated']);
    const answer = await download(viewer, uuid);
    expect([answer.status, ((await answer.json()) as Problem).code]).toEqual([409, 'clip_outdated']);
    expect((await read(viewer, other.uuid)).body.state).toBe('ready');
    expect((await request(viewer)).body.uuid).not.toBe(uuid);
  });

  it('is not known before the transcript was checked: the request is refused', async () => {
    await media.query(
      'update transcript_segment set redaction_key = null where media_file_id = $1 and position = 0',
      run.fileId,
    );
    expect(await codeOf(viewer)).toEqual([409, 'audio_masking_pending']);
  });
});

describe('the object of a clip', () => {
  it('is deleted after its time, also that of a worker that was killed', async () => {
    const { uuid } = await make(run.owner);
    const [row] = await media.query('select variant from masked_audio where clip_id = $1', uuid);
    // The worker of the first attempt was killed after it had stored its object.
    await media.query('update masked_audio set token = 2 where clip_id = $1', uuid);
    const keys = [1, 2].map((token) => `derived/${run.fileId}/masked/${String(row?.['variant'])}-${token}`);
    for (const key of keys) await run.objects.put(key, bytes);
    const { db, close } = createDatabaseClient(media.databaseUrl);
    cleanUpAfterFile(close);
    // Nothing is published.
    const outbox = {} as Outbox;
    const log = createLog('test', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'json' });
    const copies = createCopies({
      db,
      outbox,
      objects: run.objects,
      bus: worker,
      log,
      makesPlaybackCopies: false,
    });
    await copies.forget();
    expect(await Promise.all(keys.map((key) => isMissing(run.objects, key)))).toEqual([false, false]);
    await media.query(`update masked_audio set requested_at = now() - interval '25 hours' where clip_id = $1`, uuid);
    await copies.forget();
    expect(await Promise.all(keys.map((key) => isMissing(run.objects, key)))).toEqual([true, true]);
    expect(await media.query('select 1 from masked_audio where clip_id = $1', uuid)).toEqual([]);
  });

  it('is deleted with the recording, and not accepted afterwards', async () => {
    await request(run.owner);
    const claimed = await claim();
    await media.json(run.owner, 'DELETE', `/api/files/${run.fileId}`);
    await media.json(run.owner, 'DELETE', `/api/bin/${run.fileId}`);
    await media.query('delete from media_file where uuid = $1', run.fileId);
    expect(await complete(claimed)).toEqual({ outcome: 'refused' });
    expect(await isMissing(run.objects, claimed.target)).toBe(true);
  });
});
