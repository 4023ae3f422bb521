import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  maskedAudioJobs,
  maskedAudioRpc,
  type FileDetail,
  type Problem,
  type RedactionPolicy,
  type ReplyOf,
} from '@overtone/contracts';
import type { Bus } from '@overtone/service-kit';
import { connect, type NatsConnection } from 'nats';
import { cleanUpAfterFile } from '@overtone/testkit/cleanup';
import { isMissing, startRun, transcribed, transcriptOf, type Run } from '../../test/runs.ts';
import { newUser, startMedia, waitFor, type TestUser } from '../../test/start-media.ts';

type Claimed = Extract<ReplyOf<typeof maskedAudioRpc.claimMaskedAudio>, { outcome: 'claimed' }>;
type Requested = { fileId: string; variant: string };

const texts = ['let us begin', 'call me on 415 555 2671 please', 'my name is Zebulon Quillfeather'];
/** "415 555 2671": the fourth word of the second passage and two more, with the margin. */
const phoneTimes = [11, 12.6];
const copy = Buffer.from(Array.from({ length: 5_000 }, (_, i) => i % 251));

const media = await startMedia();
const boss = newUser('super_admin');
const viewer = newUser();
let worker: Bus;
let nc: NatsConnection;
const requests: Requested[] = [];
let run: Run;

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
  await setPolicy({
    masked_kinds: ['phone'],
    masked_for: ['viewer', 'editor'],
    withhold_unscanned: true,
    reveal_for: ['owner'],
    audio_masking: 'beep',
  });
  run = await transcribed(media, undefined, transcriptOf(texts, ['SPEAKER_01']));
  await media.json(run.owner, 'PUT', `/api/files/${run.fileId}/shares`, {
    user_uuid: viewer.userId,
    permission: 'editor',
  });
  await scanned();
});

function setPolicy(policy: Partial<RedactionPolicy>) {
  return media.json(boss, 'PUT', '/api/admin/redaction-policy', policy);
}

async function scanned(): Promise<void> {
  await waitFor(async () => {
    const path = `/api/files/${run.fileId}/redaction`;
    const { body } = await media.json<{ scan_status: string }>(run.owner, 'GET', path);
    return body.scan_status === 'scanned' || undefined;
  });
}

function play(person: TestUser, headers: Record<string, string> = {}): Promise<Response> {
  return media.call(person, 'GET', `/api/files/${run.fileId}/content`, { headers });
}

async function codeOf(response: Response): Promise<string> {
  return ((await response.json()) as Problem).code;
}

/** The copy that a reader's request has queued. */
function requested(): Promise<Requested> {
  return waitFor(() => requests.findLast(({ fileId }) => fileId === run.fileId));
}

async function claim(request: Requested): Promise<Claimed> {
  const reply = await worker.request(maskedAudioRpc.claimMaskedAudio, request);
  expect(reply.outcome).toBe('claimed');
  return reply as Claimed;
}

/** Does the work of the worker. */
async function makeCopy(): Promise<Claimed> {
  const request = await requested();
  const claimed = await claim(request);
  await run.objects.put(claimed.target, copy, { contentType: 'audio/flac' });
  const done = { ...request, token: claimed.token, contentType: 'audio/flac', bytes: 1_000 };
  expect(await worker.request(maskedAudioRpc.completeMaskedAudio, done)).toEqual({ outcome: 'accepted' });
  return claimed;
}

describe('the sound of a masked recording', () => {
  it('is refused with a code until the copy without the masked parts exists', async () => {
    const response = await play(viewer);
    expect(response.status).toBe(409);
    expect(await codeOf(response)).toBe('audio_masking_pending');
    const claimed = await makeCopy();
    expect(claimed).toMatchObject({ mode: 'beep', ranges: [phoneTimes] });
    const answer = await play(viewer);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('audio/flac');
    expect(Buffer.from(await answer.arrayBuffer()).equals(copy)).toBe(true);
  });

  it('is sent in ranges, and as a download with the name of its format', async () => {
    await play(viewer);
    await makeCopy();
    const part = await play(viewer, { range: 'bytes=100-199' });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe(`bytes 100-199/${copy.length}`);
    expect(Buffer.from(await part.arrayBuffer()).equals(copy.subarray(100, 200))).toBe(true);
    const path = `/api/files/${run.fileId}/content?download=true`;
    const download = await media.call(viewer, 'GET', path);
    expect(download.headers.get('content-disposition')).toMatch(/^attachment; filename=".* \(masked\)\.flac"/);
    await download.arrayBuffer();
    expect((await media.call(viewer, 'HEAD', `/api/files/${run.fileId}/content`)).headers.get('content-length')).toBe(
      String(copy.length),
    );
  });

  it('is the recording itself for readers who may reveal and while the policy leaves it alone', async () => {
    const original = Buffer.from(await (await play(run.owner)).arrayBuffer());
    expect(original.subarray(0, 4).toString()).toBe('RIFF');
    expect((await play(viewer)).status).toBe(409);
    await setPolicy({ audio_masking: 'off' });
    expect(Buffer.from(await (await play(viewer)).arrayBuffer()).equals(original)).toBe(true);
  });

  it('is in the audit log when a user plays masked parts, once for all requests of a player', async () => {
    await setPolicy({ masked_for: ['viewer', 'editor', 'owner'] });
    for (const range of ['bytes=0-', 'bytes=1-10', 'bytes=20-']) await (await play(run.owner, { range })).arrayBuffer();
    const playedAudits = () =>
      media
        .eventsOf('evt.media.action.performed.v1', run.fileId)
        .filter(({ data }) => data['action'] === 'text_revealed');
    await waitFor(() => playedAudits()[0]);
    expect(playedAudits()).toHaveLength(1);
    expect(playedAudits()[0]?.data).toMatchObject({ actorId: run.owner.userId, details: { kind: 'sound' } });
  });

  it('is also masked for an owner and an administrator who may not reveal', async () => {
    await setPolicy({ masked_for: ['viewer', 'editor', 'owner', 'administrator'], reveal_for: [] });
    expect((await play(run.owner)).status).toBe(409);
    expect((await play(newUser('admin'))).status).toBe(409);
    expect((await play(boss)).status).toBe(409);
  });

  it('is refused again when more is masked, and the copy with less is not sent any more', async () => {
    await play(viewer);
    const first = await makeCopy();
    await setPolicy({ masked_kinds: ['phone', 'name'] });
    expect((await play(viewer)).status).toBe(409);
    await waitFor(
      () => requests.findLast(({ fileId }) => fileId === run.fileId)?.variant !== first.target || undefined,
    );
    const second = await waitFor(async () => {
      const reply = await worker.request(maskedAudioRpc.claimMaskedAudio, await requested());
      return reply.outcome === 'claimed' ? reply : undefined;
    });
    expect(second.ranges).toEqual([phoneTimes, [21, 22.2]]);
  });

  it('is refused while a passage was not scanned', async () => {
    await play(viewer);
    await makeCopy();
    await media.query(
      `update transcript_segment set redaction_key = null where media_file_id = $1 and position = 0`,
      run.fileId,
    );
    expect(await codeOf(await play(viewer))).toBe('audio_masking_pending');
  });

  it('is refused while there is no transcript yet', async () => {
    const fresh = await startRun(media);
    await fresh.open();
    await fresh.prepare();
    const share = { user_uuid: viewer.userId, permission: 'editor' };
    await media.json(fresh.owner, 'PUT', `/api/files/${fresh.fileId}/shares`, share);
    const response = await media.call(viewer, 'GET', `/api/files/${fresh.fileId}/content`);
    expect(await codeOf(response)).toBe('audio_masking_pending');
  });

  it('is silent for the whole of an edited passage, whose words have estimated times', async () => {
    const { body } = await media.json<FileDetail>(run.owner, 'GET', `/api/files/${run.fileId}`);
    const passage = body.transcript_segments[1];
    const path = `/api/files/${run.fileId}/transcript/segments/${passage?.uuid}`;
    const edited = await media.json(run.owner, 'PUT', path, { text: 'you can call me on 415 555 2671 please' });
    expect(edited.status).toBe(200);
    await scanned();
    expect((await play(viewer)).status).toBe(409);
    expect((await claim(await requested())).ranges).toEqual([[9.8, 18.2]]);
  });

  it('is refused permanently when no copy can be made, with another code', async () => {
    await play(viewer);
    const request = await requested();
    const { token } = await claim(request);
    await worker.request(maskedAudioRpc.failMaskedAudio, { ...request, token, message: 'no sound' });
    expect(await codeOf(await play(viewer))).toBe('audio_masking_failed');
  });

  it('is made again when the copy is missing from the object store', async () => {
    await play(viewer);
    const { target } = await makeCopy();
    await run.objects.delete(target);
    expect(await codeOf(await play(viewer))).toBe('audio_masking_pending');
    expect((await claim(await requested())).ranges).toEqual([phoneTimes]);
  });

  it('is not accepted for a file that was deleted during the job, and its object is deleted', async () => {
    await play(viewer);
    const request = await requested();
    const { target, token } = await claim(request);
    await run.objects.put(target, copy);
    await media.json(run.owner, 'DELETE', `/api/files/${run.fileId}`);
    await media.json(run.owner, 'DELETE', `/api/bin/${run.fileId}`);
    await media.query('delete from media_file where uuid = $1', run.fileId);
    const done = { ...request, token, contentType: 'audio/flac', bytes: 1_000 };
    expect(await worker.request(maskedAudioRpc.completeMaskedAudio, done)).toEqual({ outcome: 'refused' });
    expect(await isMissing(run.objects, target)).toBe(true);
  });
});
