import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  mediaVoiceEvents,
  mediaVoiceRpc,
  mediaEvents,
  voiceJobs,
  voiceRpc,
  voiceVersions,
  type SpeakerIndexAnswer,
  type VoiceVersion,
} from '@overtone/contracts';
import { worker } from '@overtone/jobs';
import type { Bus } from '@overtone/service-kit';
import { waitFor } from '@overtone/testkit';
import { Pool } from 'pg';
import { startWorld } from '../../test/world.ts';

/** More on a machine that is not shared: VOICE_FILES=500 are 1,000 speakers. */
const fileCount = Number(process.env['VOICE_FILES'] ?? 12);
const kills = Number(process.env['VOICE_KILLS'] ?? 4);

type Recording = { fileId: string; ownerId: string; speakerIds: string[]; persons: number[] };
const recordings = new Map<string, Recording>();
const ownerId = randomUUID();
let enabled = true;
let world: Awaited<ReturnType<typeof startWorld>>;
let pool: Pool;
let bus: Bus;
let media: Bus;
/** Calls of the fake worker that fail from now on, as if its process had been killed. */
let deaths = 0;
let embedded: string[] = [];
/** Files for which a job ran. */
const tried = new Set<string>();
/** Recordings that the fake worker leaves to the test. */
const unclaimed = new Set<string>();
/** Recordings that the fake worker cannot read, and how often it reported one. */
const unreadable = new Set<string>();
let isPermanent = false;
/** Versions whose model the fake worker does not have. */
const withoutModel = new Set<VoiceVersion>();
let reported = 0;
let running: ReturnType<ReturnType<typeof worker>['start']>;

function addRecording(persons: number[]): Recording {
  const recording = { fileId: randomUUID(), ownerId, speakerIds: persons.map(() => randomUUID()), persons };
  recordings.set(recording.fileId, recording);
  return recording;
}

/** The voice of a person in one version: its direction differs from version to version. */
function vectorOf(person: number, version: VoiceVersion): string {
  const { dimension } = voiceVersions.find(({ name }) => name === version)!;
  const vector = new Float32Array(dimension);
  vector[(person * (version === 'v3' ? 1 : 3)) % dimension] = 1;
  return Buffer.from(vector.buffer).toString('base64');
}

/** Does the work of a worker, and dies now and then before or after it has sent its result. */
async function embed({ fileId }: { fileId: string }): Promise<Record<string, never>> {
  tried.add(fileId);
  if (unclaimed.has(fileId)) return {};
  const claimed = await bus.request(voiceRpc.claimVoices, { fileId });
  if (claimed.outcome === 'none') return {};
  const recording = recordings.get(fileId);
  if (unreadable.has(fileId)) {
    await bus.request(voiceRpc.failVoices, {
      fileId,
      token: claimed.token,
      message: 'not a recording',
      permanent: isPermanent,
    });
    reported++;
    return {};
  }
  const dies = deaths > 0;
  if (dies) deaths--;
  if (dies && deaths % 2 === 0) throw new Error('killed before the result');
  const voices = (recording?.speakerIds ?? []).map((speakerId, i) => ({
    speakerId,
    seconds: 10,
    vectors: Object.fromEntries(
      claimed.versions.map((version) => [version, vectorOf(recording?.persons[i] ?? 0, version)]),
    ),
  }));
  const versions = claimed.versions.filter((version) => !withoutModel.has(version));
  if (versions.length > 0)
    await bus.request(voiceRpc.completeVoices, { fileId, token: claimed.token, voices, versions });
  if (versions.length < claimed.versions.length)
    await bus.request(voiceRpc.failVoices, { fileId, token: claimed.token, message: 'no model', permanent: true });
  embedded.push(fileId);
  if (dies) throw new Error('killed after the result');
  return {};
}

beforeAll(async () => {
  world = await startWorld();
  pool = new Pool({ connectionString: world.database.url, max: 2 });
  media = await world.connectAs('media');
  media.serve(mediaVoiceRpc.voiceSource, async ({ fileId }) => {
    const recording = recordings.get(fileId);
    if (!recording || !enabled) return { file: null };
    const speakers = recording.speakerIds.map((speakerId) => ({ speakerId, spans: [[0, 10]] as [number, number][] }));
    return { file: { source: `files/${fileId}`, fingerprint: recording.speakerIds.join(), speakers } };
  });
  media.serve(mediaVoiceRpc.listVoiceFiles, async ({ after }) => ({
    enabled,
    files: after === null && enabled ? [...recordings.values()].map(({ fileId }) => ({ fileId, ownerId })) : [],
  }));
  await media.nc().flush();
  bus = await world.connectAs('transcription-worker');
  const job = { embedVoices: { ...voiceJobs.embedVoices, policy: { ...voiceJobs.embedVoices.policy, backoffMs: 50 } } };
  running = worker(job, { embedVoices: embed }, { workerId: 'test', concurrency: { embedding: 2 } }).start(bus);
});
afterAll(async () => {
  await running.stop();
  await pool.end();
  await world.stop();
});

async function status(): Promise<SpeakerIndexAnswer> {
  return (await world.call('/api/search/speaker-index', { role: 'admin' })).body as SpeakerIndexAnswer;
}

function change(method: string, path: string, body?: unknown) {
  return world.call(`/api/search/speaker-index${path}`, { role: 'admin', method, body });
}

async function filesOf(version: VoiceVersion, state: string): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    'select file_id::text as id from voice_file where version = $1 and state = $2 order by 1',
    [version, state],
  );
  return rows.map(({ id }) => id);
}

function ids(): string[] {
  return [...recordings.keys()].toSorted();
}

async function compare(speakerIds: string[], groups: { groupId: string; speakerIds: string[] }[]) {
  return (await media.request(voiceRpc.compareVoices, { speakerIds, groups })).matches;
}

async function untilEmbedded(version: VoiceVersion): Promise<void> {
  await waitFor(async () => (await filesOf(version, 'done')).join() === ids().join() || undefined);
}

describe('the speaker index', () => {
  it('stores no voice before it is allowed', async () => {
    enabled = false;
    const { fileId } = addRecording([1]);
    await world.emit(mediaEvents.transcriptStored, {
      fileId,
      ownerId,
      runId: randomUUID(),
      transcriptVersion: 1,
      provisional: false,
    });
    await world.emit(mediaVoiceEvents.allowedChanged, { allowed: false });
    await waitFor(async () => !(await status()).enabled || undefined);
    expect(await filesOf('v3', 'due')).toEqual([]);
    expect((await change('POST', '/migration', { version: 'v4' })).body).toMatchObject({ code: 'voices_disabled' });
  });

  it('embeds the recordings that exist when it is allowed, and new ones', async () => {
    enabled = true;
    for (let i = 1; i < fileCount; i++) addRecording([i % 5, 5 + (i % 3)]);
    await world.emit(mediaVoiceEvents.allowedChanged, { allowed: true });
    await untilEmbedded('v3');
    expect((await status()).versions[0]).toMatchObject({ name: 'v3', state: 'current', files: fileCount });
  });

  it('says how likely a speaker is the person of a profile, and shares the confidence of equal profiles', async () => {
    const all = [...recordings.values()];
    const of = (person: number) =>
      all.flatMap(({ speakerIds, persons }) => speakerIds.filter((_, i) => persons[i] === person));
    const [speaker, linked, twin] = of(6);
    const groups = [
      { groupId: randomUUID(), speakerIds: [linked!] },
      { groupId: randomUUID(), speakerIds: [of(2)[0]!] },
    ];
    const [best] = await compare([speaker!], groups);
    expect(best).toMatchObject({ speakerId: speaker, groupId: groups[0]?.groupId });
    expect(best?.confidence).toBeGreaterThan(0.95);
    const same = [...groups, { groupId: randomUUID(), speakerIds: [twin!] }];
    expect((await compare([speaker!], same))[0]?.confidence).toBeCloseTo(0.5, 1);
  });

  it('does not share the confidence with a profile that was rejected for the speaker', async () => {
    const all = [...recordings.values()];
    const [speaker, ...linked] = all.flatMap(({ speakerIds, persons }) =>
      speakerIds.filter((_, i) => persons[i] === 6),
    );
    const [rejected, right] = linked.slice(0, 2).map((id) => ({ groupId: randomUUID(), speakerIds: [id] }));
    const refused = [{ speakerId: speaker!, groupIds: [rejected!.groupId] }];
    const request = { speakerIds: [speaker!], groups: [rejected!, right!], refused };
    const { matches } = await media.request(voiceRpc.compareVoices, request);
    expect(matches).toMatchObject([{ groupId: right?.groupId }]);
    expect(matches[0]?.confidence).toBeGreaterThan(0.95);
  });

  it('migrates to another version while workers are killed and recordings arrive, without losing or mixing any', async () => {
    deaths = kills;
    const [one] = recordings.values();
    const groups = [{ groupId: randomUUID(), speakerIds: one!.speakerIds }];
    expect((await change('POST', '/migration', { version: 'v4' })).status).toBe(202);
    const confidences: number[] = [];
    const currents: number[] = [];
    let added = 0;
    await waitFor(async () => {
      if (added < 3) {
        const { fileId } = addRecording([added, 7]);
        await world.emit(mediaVoiceEvents.outdated, { fileId, ownerId });
        added++;
      }
      // A vector of another version would have another direction, so the match would be lost.
      const [match] = await compare(one!.speakerIds, groups);
      confidences.push(match?.confidence ?? 0);
      const { versions: now } = await status();
      const current = now.filter(({ state }) => state === 'current');
      currents.push(current.length);
      return current[0]?.name === 'v4' || undefined;
    });
    expect(Math.min(...confidences)).toBeGreaterThan(0.95);
    expect(currents.every((count) => count === 1)).toBe(true);
    await untilEmbedded('v3');
    await untilEmbedded('v4');
    const { versions: counts, migration } = await status();
    expect(migration).toBeNull();
    const speakers = [...recordings.values()].reduce((sum, { speakerIds }) => sum + speakerIds.length, 0);
    for (const { name, speakers: indexed } of counts.slice(0, 2)) expect([name, indexed]).toEqual([name, speakers]);
    expect(counts.map(({ name, state }) => [name, state])).toEqual([
      ['v3', 'complete'],
      ['v4', 'current'],
      ['v5', 'absent'],
    ]);
  });

  it('rolls back by switching again, and deletes only a version that is not read', async () => {
    expect((await change('PUT', '/alias', { version: 'v3' })).body).toMatchObject({
      versions: [{ state: 'current' }, { state: 'complete' }, { state: 'absent' }],
    });
    expect((await change('DELETE', '/versions/v3')).body).toMatchObject({ code: 'migration_conflict' });
    expect((await change('DELETE', '/versions/v4')).body).toMatchObject({
      versions: [{ state: 'current' }, { state: 'absent', speakers: 0 }, { state: 'absent' }],
    });
    expect(await filesOf('v4', 'done')).toEqual([]);
  });

  it('stops a migration and continues it with what was done', async () => {
    deaths = 0;
    await change('POST', '/migration', { version: 'v4' });
    expect((await change('POST', '/migration/stop')).body).toMatchObject({ migration: { state: 'stopped' } });
    expect((await change('POST', '/migration', { version: 'v4' })).body).toMatchObject({
      migration: { state: 'running' },
    });
    await waitFor(async () => (await status()).versions[1]?.state === 'current' || undefined);
  });

  it('does not embed a file again whose speakers speak the same parts', async () => {
    const [{ fileId }] = recordings.values() as unknown as [Recording];
    embedded = [];
    const before = new Date();
    await world.emit(mediaEvents.transcriptEdited, { fileId, ownerId, transcriptVersion: 9 });
    await waitFor(async () => {
      const { rows } = await pool.query(
        'select 1 from voice_file where file_id = $1 and changed_at > $2 and state = $3',
        [fileId, before, 'done'],
      );
      return rows.length > 0 || undefined;
    });
    expect(embedded).toEqual([]);
  });

  it('embeds a file again after a pause when that failed, up to a limit, and on request', async () => {
    const { fileId } = addRecording([3, 7]);
    unreadable.add(fileId);
    await world.emit(mediaVoiceEvents.outdated, { fileId, ownerId });
    const states = async () =>
      (await pool.query('select distinct state, attempts, error from voice_file where file_id = $1', [fileId])).rows;
    const error = 'not a recording';
    await waitFor(async () => reported === 1 || undefined);
    expect(await states()).toEqual([{ state: 'due', attempts: 1, error }]);
    // Files are queued again, this one is not.
    const next = addRecording([1, 4]);
    await world.emit(mediaVoiceEvents.outdated, { fileId: next.fileId, ownerId });
    await waitFor(async () => embedded.includes(next.fileId) || undefined);
    expect(reported).toBe(1);
    const endPause = (attempts: number) =>
      pool.query(`update voice_file set attempts = $2, changed_at = now() - interval '1 hour' where file_id = $1`, [
        fileId,
        attempts,
      ]);
    await endPause(1);
    await waitFor(async () => reported === 2 || undefined);
    expect(await states()).toEqual([{ state: 'due', attempts: 2, error }]);
    await endPause(4);
    await waitFor(async () => reported === 3 || undefined);
    expect(await states()).toEqual([{ state: 'failed', attempts: 5, error }]);
    expect(await status()).toMatchObject({
      failed_files: 1,
      waiting_files: 0,
      failures: [{ reason: error, files: 1 }],
    });

    unreadable.clear();
    const { status: accepted, body } = await change('POST', '/retry');
    expect([accepted, body]).toMatchObject([202, { failed_files: 0, failures: [] }]);
    await untilEmbedded('v3');
    await untilEmbedded('v4');
  });

  it('does not embed a file again that cannot be read', async () => {
    const { fileId } = addRecording([3, 7]);
    unreadable.add(fileId);
    isPermanent = true;
    await world.emit(mediaVoiceEvents.outdated, { fileId, ownerId });
    await waitFor(async () => (await status()).failed_files === 1 || undefined);
    const { rows } = await pool.query('select distinct state, attempts from voice_file where file_id = $1', [fileId]);
    expect(rows).toEqual([{ state: 'failed', attempts: 1 }]);
    isPermanent = false;
    unreadable.clear();
    await change('POST', '/retry');
    await untilEmbedded('v3');
  });

  it('completes the versions that a worker can compute, says why another one failed, and continues with its model', async () => {
    withoutModel.add('v5');
    await change('POST', '/migration', { version: 'v5' });
    const { fileId } = addRecording([3, 7]);
    await world.emit(mediaVoiceEvents.outdated, { fileId, ownerId });
    await waitFor(async () => (await filesOf('v5', 'failed')).includes(fileId) || undefined);
    await untilEmbedded('v4');
    expect((await status()).versions).toMatchObject([{}, { state: 'current' }, { state: 'building', speakers: 0 }]);

    withoutModel.clear();
    await change('POST', '/retry');
    await waitFor(async () => (await status()).versions[2]?.state === 'current' || undefined);
    await untilEmbedded('v5');
    await change('PUT', '/alias', { version: 'v4' });
    await change('DELETE', '/versions/v5');
  });

  it('never counts a file without sound, such as an imported transcript', async () => {
    const imported = randomUUID();
    await world.emit(mediaEvents.transcriptEdited, { fileId: imported, ownerId, transcriptVersion: 1 });
    const { fileId } = addRecording([2, 6]);
    await world.emit(mediaEvents.transcriptEdited, { fileId, ownerId, transcriptVersion: 1 });
    await untilEmbedded('v3');
    expect(tried).not.toContain(imported);
    expect(tried).toContain(fileId);
  });

  it('removes the voices of a recording that a retention rule removed from every version', async () => {
    const { fileId, speakerIds } = addRecording([2, 6]);
    await world.emit(mediaVoiceEvents.outdated, { fileId, ownerId });
    await untilEmbedded('v3');
    await untilEmbedded('v4');
    recordings.delete(fileId);
    await world.emit(mediaEvents.recordingRemoved, { fileId, ownerId });
    await untilEmbedded('v3');
    await untilEmbedded('v4');
    const groups = [{ groupId: randomUUID(), speakerIds }];
    await waitFor(async () => (await compare(speakerIds, groups)).length === 0 || undefined);
  });

  it('removes the voices of a deleted file from every version', async () => {
    const [{ fileId, speakerIds }] = recordings.values() as unknown as [Recording];
    recordings.delete(fileId);
    await world.emit(mediaEvents.deleted, { fileId, ownerId });
    const groups = [{ groupId: randomUUID(), speakerIds }];
    await waitFor(async () => (await compare(speakerIds, groups)).length === 0 || undefined);
    expect(await filesOf('v3', 'done')).not.toContain(fileId);
  });

  it('gives a recording to one worker, and to another one when the message of the first is delivered again', async () => {
    const { fileId } = addRecording([3, 7]);
    unclaimed.add(fileId);
    await world.emit(mediaVoiceEvents.outdated, { fileId, ownerId });
    await waitFor(() => tried.has(fileId) || undefined);
    const claim = async (attempt: number) => (await bus.request(voiceRpc.claimVoices, { fileId, attempt })).outcome;
    expect(await claim(1)).toBe('claimed');
    expect(await claim(1)).toBe('none');
    expect(await claim(2)).toBe('claimed');
    const claims = await Promise.all([1, 2, 3].map(() => bus.request(voiceRpc.claimVoices, { fileId, attempt: 3 })));
    const tokens = claims.flatMap((claimed) => (claimed.outcome === 'claimed' ? [claimed.token] : []));
    expect(new Set(tokens).size).toBe(3);
    unclaimed.clear();
    await world.emit(mediaVoiceEvents.outdated, { fileId, ownerId });
    await untilEmbedded('v3');
  });

  it('deletes all voices when they are not allowed any more', async () => {
    enabled = false;
    await world.emit(mediaVoiceEvents.allowedChanged, { allowed: false });
    await waitFor(async () => !(await status()).enabled || undefined);
    await waitFor(async () => (await filesOf('v4', 'done')).length === 0 || undefined);
    const [{ speakerIds }] = recordings.values() as unknown as [Recording];
    await waitFor(
      async () => (await compare(speakerIds, [{ groupId: randomUUID(), speakerIds }])).length === 0 || undefined,
    );
  });
});
