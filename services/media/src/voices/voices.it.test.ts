import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  identityEvents,
  mediaVoiceRpc,
  operationsEvents,
  voiceEvents,
  voiceLimits,
  voiceRpc,
  type AnswerOf,
  type BodyOf,
  type DataOf,
  type FileDetail,
  type mediaRoutes,
  type ReplyOf,
  type RequestOf,
  type SpeakerProfile,
  type VoiceSuggestion,
} from '@overtone/contracts';
import type { Bus } from '@overtone/service-kit';
import { cleanUpAfterTest } from '@overtone/testkit/cleanup';
import { Client } from 'pg';
import { transcribed, twoVoices, type Run } from '../../test/runs.ts';
import { newUser, startMedia, waitFor, type TestUser } from '../../test/start-media.ts';

const media = await startMedia();
const boss = newUser('super_admin');
let indexer: Bus;
/** Who speaks, as the fake index knows: speakers of one person sound alike. */
const personOf = new Map<string, string>();
let owner: TestUser;
type Operation = DataOf<typeof operationsEvents.performed>;
/** What the service reports to the audit trail. */
const operations: Operation[] = [];
/** Persons whose voices the fake index cannot compare. */
const failing = new Set<string>();
/** What the fake index was asked to leave out of each comparison. */
const refusals: RequestOf<typeof voiceRpc.compareVoices>['refused'][] = [];
/** Files whose voices the fake index has not embedded yet. */
const waiting = new Set<string>();

beforeAll(async () => {
  const audit = await media.connectAs('identity');
  audit.nc().subscribe(operationsEvents.performed.subject, {
    callback: (_, message) => void operations.push(message.json()),
  });
  await audit.nc().flush();
  indexer = await media.connectAs('search-indexer');
  const likely = (one: string, other: string): boolean =>
    personOf.has(one) && personOf.get(one) === personOf.get(other);
  indexer.serve(voiceRpc.compareVoices, async ({ speakerIds, groups, refused }) => {
    refusals.push(refused);
    if (speakerIds.some((id) => failing.has(personOf.get(id) ?? '')))
      throw new Error('these voices cannot be compared');
    return {
      matches: speakerIds.flatMap((speakerId) =>
        groups.flatMap(({ groupId, speakerIds: linked }) =>
          linked.some((id) => likely(speakerId, id)) ? [{ speakerId, groupId, confidence: 0.92 }] : [],
        ),
      ),
    };
  });
  indexer.serve(voiceRpc.readVoices, async ({ speakerIds }) => ({
    voices: speakerIds.map((speakerId) => ({
      speakerId,
      seconds: 5,
      vectors: { v3: Buffer.from(Float32Array.of(0.5, -1).buffer).toString('base64') },
    })),
  }));
  indexer.serve(voiceRpc.similarVoices, async ({ speakerIds, fileIds }) => {
    const known = speakerIds.filter((id) => personOf.has(id));
    const pairs = known.flatMap((first, i) =>
      known.slice(0, i).flatMap((second) => (likely(first, second) ? [{ first, second, confidence: 0.9 }] : [])),
    );
    return { speakerIds: known, pairs, waitingFileIds: fileIds.filter((id) => waiting.has(id)), failedFileIds: [] };
  });
  await indexer.nc().flush();
});

beforeEach(async () => {
  owner = newUser();
  await allow(true);
});

function allow(profiles_enabled: boolean) {
  return media.json(boss, 'PUT', '/api/admin/voice-profiles', { profiles_enabled });
}

/** A recording of two persons; @returns its speakers in order. */
async function record(
  first: string,
  second: string,
  person: TestUser = owner,
): Promise<{ run: Run; speakers: string[] }> {
  const run = await transcribed(media, person, twoVoices());
  const { body } = await media.json<FileDetail>(person, 'GET', `/api/files/${run.fileId}`);
  const speakers = body.speakers.map(({ uuid }) => uuid);
  for (const [i, name] of [first, second].entries()) personOf.set(speakers[i] ?? '', name);
  await media.emit(voiceEvents.indexed, { fileId: run.fileId, ownerId: person.userId });
  return { run, speakers };
}

function name(speakerId: string | undefined, displayName: string | null, person: TestUser = owner) {
  return media.json(person, 'PUT', `/api/speakers/${speakerId}`, { display_name: displayName });
}

async function openSuggestions(person: TestUser = owner): Promise<VoiceSuggestion[]> {
  return (await media.json<{ suggestions: VoiceSuggestion[] }>(person, 'GET', '/api/speaker-suggestions')).body
    .suggestions;
}

async function profiles(person: TestUser = owner): Promise<SpeakerProfile[]> {
  return (await media.json<{ profiles: SpeakerProfile[] }>(person, 'GET', '/api/speaker-profiles')).body.profiles;
}

/** The suggestion for a speaker. */
function suggested(speakerId: string | undefined): Promise<VoiceSuggestion> {
  return waitFor(async () => (await openSuggestions()).find(({ voice }) => voice.speaker_uuid === speakerId));
}

/** Waits until everything that was requested is compared. */
async function compared(): Promise<void> {
  await waitFor(async () => (await media.query('select 1 from voice_match_due')).length === 0 || undefined);
}

/** A group of the owner and another member. */
async function group(): Promise<{ groupId: string; member: TestUser }> {
  const groupId = randomUUID();
  const member = newUser();
  for (const person of [owner, member]) await media.setGroups(person, [groupId]);
  await waitFor(async () => (await media.query('select 1 from media_membership where user_id = $1', member.userId))[0]);
  return { groupId, member };
}

function change(profile: SpeakerProfile | undefined, body: object) {
  return media.json<SpeakerProfile & { code?: string }>(owner, 'PUT', `/api/speaker-profiles/${profile?.uuid}`, body);
}

type Action = BodyOf<typeof mediaRoutes.decideSuggestion>['action'];
function decide(speakerId: string | undefined, action: Action, profileId: string, person: TestUser = owner) {
  return media.json(person, 'POST', `/api/speakers/${speakerId}/verify`, { action, profile_uuid: profileId });
}

/** The voices that were rejected for a profile, as a person sees them. */
async function rejectedVoices(profileId: string, person: TestUser = owner): Promise<string[]> {
  const path = `/api/speaker-profiles/${profileId}/rejected-voices`;
  const { body } = await media.json<AnswerOf<typeof mediaRoutes.rejectedVoices>>(person, 'GET', path);
  return body.map(({ speaker_uuid: id }) => id);
}

/** Says that voices are not the same person, or takes that back. */
function separate(speakerId: string | undefined, others: (string | undefined)[], person: TestUser = owner) {
  const body = { speaker_uuid: speakerId, other_uuids: others };
  return media.json(person, 'POST', '/api/speaker-clusters/separate', body);
}
function undoSeparation(ids: (string | undefined)[], others: (string | undefined)[], person: TestUser = owner) {
  const body = { speaker_uuids: ids, other_uuids: others };
  return media.json(person, 'POST', '/api/speaker-clusters/separate/undo', body);
}

/** The groups of unnamed voices, each with the voices that it is kept apart from. */
async function clusters(): Promise<{ voices: Set<string>; keptApart: string[] }[]> {
  const { body } = await media.json<AnswerOf<typeof mediaRoutes.listClusters>>(owner, 'GET', '/api/speaker-clusters');
  return body.clusters.map(({ voices, kept_apart: keptApart }) => ({
    voices: new Set(voices.map(({ speaker_uuid: id }) => id)),
    keptApart: keptApart.map(({ speaker_uuid: id }) => id),
  }));
}

/** The voices of deleted profiles. */
async function excludedVoices(person: TestUser = owner): Promise<{ speaker_uuid: string; name: string | null }[]> {
  const path = '/api/speaker-profiles/excluded-voices';
  const { body } = await media.json<AnswerOf<typeof mediaRoutes.excludedVoices>>(person, 'GET', path);
  return body.map(({ speaker_uuid, name: given }) => ({ speaker_uuid, name: given }));
}

/** Splits a profile. */
function split(profileId: string | undefined, body: { name: string; speaker_uuids: (string | undefined)[] }) {
  return media.json<SpeakerProfile & { code?: string }>(
    owner,
    'POST',
    `/api/speaker-profiles/${profileId}/split`,
    body,
  );
}

/** The audit record of a deleted profile. */
function deletionOf(profileId: string | undefined): Promise<Operation> {
  return waitFor(() =>
    operations.find(({ action, details }) => action === 'speaker_profile_deleted' && details['profile'] === profileId),
  );
}

async function displayNames({ fileId }: Run, person: TestUser = owner): Promise<(string | null)[]> {
  const { body } = await media.json<FileDetail>(person, 'GET', `/api/files/${fileId}`);
  return body.speakers.map(({ display_name }) => display_name);
}

async function titleOf({ fileId }: Run): Promise<string> {
  return (await media.json<FileDetail>(owner, 'GET', `/api/files/${fileId}`)).body.title;
}

describe('a voice that got a name', () => {
  it('is suggested in other recordings and never applied unasked', async () => {
    const first = await record('anna', 'ben');
    const second = await record('carl', 'anna');
    await name(first.speakers[0], 'Anna');
    const { profile, confidence } = await suggested(second.speakers[1]);
    expect(profile.name).toBe('Anna');
    expect(confidence).toBeCloseTo(0.92);
    expect(await displayNames(second.run)).toEqual([null, null]);
    expect(await openSuggestions()).toHaveLength(1);
  });

  it('is suggested while the comparison fails for the recordings of another person', async () => {
    const other = newUser();
    const [mine] = [await record('anna', 'ben'), await record('carl', 'anna', other)];
    const mineAgain = await record('anna', 'dora');
    const { speakers } = await record('carl', 'eve', other);
    cleanUpAfterTest(() => failing.clear());
    failing.add('eve');
    await name(speakers[0], 'Carl', other);
    await name(mine.speakers[0], 'Anna');
    expect((await suggested(mineAgain.speakers[0])).profile.name).toBe('Anna');
    const due = () => media.query('select 1 from voice_match_due where owner_id = $1', other.userId);
    expect(await due()).toHaveLength(1);
    failing.clear();
    await waitFor(async () => (await due()).length === 0);
  });

  it('is suggested from the confidence of the settings only', async () => {
    const setThreshold = (suggestion_threshold: number | null) =>
      media.json(boss, 'PUT', '/api/admin/voice-profiles', { suggestion_threshold });
    cleanUpAfterTest(() => setThreshold(null));
    await setThreshold(0.95);
    const first = await record('anna', 'ben');
    const second = await record('carl', 'anna');
    await name(first.speakers[0], 'Anna');
    await compared();
    expect(await openSuggestions()).toEqual([]);
    await setThreshold(null);
    await suggested(second.speakers[1]);
  });

  it('names a speaker when a suggestion is accepted', async () => {
    const first = await record('anna', 'ben');
    const second = await record('carl', 'anna');
    await name(first.speakers[0], 'Anna');
    const { profile } = await suggested(second.speakers[1]);
    expect((await decide(second.speakers[1], 'accept', profile.uuid)).status).toBe(204);
    expect(await displayNames(second.run)).toEqual([null, 'Anna']);
    expect(await openSuggestions()).toEqual([]);
    expect(await profiles()).toMatchObject([{ name: 'Anna', speakers: 2, files: 2 }]);
  });

  it('is not suggested again after a rejection', async () => {
    const first = await record('anna', 'ben');
    const second = await record('carl', 'anna');
    await name(first.speakers[0], 'Anna');
    const { profile } = await suggested(second.speakers[1]);
    await decide(second.speakers[1], 'reject', profile.uuid);
    await record('dora', 'emil');
    await compared();
    expect(await openSuggestions()).toEqual([]);
  });

  it('keeps a rejection or another name when an older page accepts the suggestion', async () => {
    const first = await record('anna', 'ben');
    const second = await record('carl', 'anna');
    const third = await record('dora', 'anna');
    await name(first.speakers[0], 'Anna');
    const { profile } = await suggested(second.speakers[1]);
    await suggested(third.speakers[1]);
    await decide(second.speakers[1], 'reject', profile.uuid);
    await name(third.speakers[1], 'Bea');
    for (const { speakers } of [second, third]) {
      const { status, body } = await decide(speakers[1], 'accept', profile.uuid);
      expect([status, body['code']]).toEqual([409, 'voice_decided']);
    }
    expect(await displayNames(second.run)).toEqual([null, null]);
    expect(await displayNames(third.run)).toEqual([null, 'Bea']);
  });

  it('keeps an acceptance when an older page rejects the suggestion, also one of another member of the group', async () => {
    const { groupId, member } = await group();
    const [first, second] = [await record('anna', 'ben'), await record('carl', 'anna')];
    const share = { user_uuid: member.userId, permission: 'editor' };
    await media.json(owner, 'PUT', `/api/files/${second.run.fileId}/shares`, share);
    const group_uuid = groupId;
    await media.json(owner, 'POST', '/api/speaker-profiles', {
      name: 'Anna',
      group_uuid,
      speaker_uuids: [first.speakers[0]],
    });
    const { profile } = await suggested(second.speakers[1]);
    expect((await decide(second.speakers[1], 'accept', profile.uuid, member)).status).toBe(204);
    const { status, body } = await decide(second.speakers[1], 'reject', profile.uuid);
    expect(status).toBe(409);
    expect(body).toMatchObject({
      code: 'voice_decided',
      title: 'Conflict',
      detail: expect.stringContaining('already decided'),
    });
    expect(await displayNames(second.run)).toEqual([null, 'Anna']);
    expect(await profiles()).toMatchObject([{ name: 'Anna', speakers: 2 }]);
    expect(await rejectedVoices(profile.uuid)).toEqual([]);
    await compared();
    await name(second.speakers[1], null);
    expect((await decide(second.speakers[1], 'remove', profile.uuid, member)).status).toBe(409);
  });

  it('gets one decision when its suggestion is accepted and rejected at the same time', async () => {
    const [first, second] = [await record('anna', 'ben'), await record('carl', 'anna')];
    await name(first.speakers[0], 'Anna');
    const { profile } = await suggested(second.speakers[1]);
    const request = (action: Action) => decide(second.speakers[1], action, profile.uuid);
    for (let round = 0; round < 10; round++) {
      const actions = round % 2 === 0 ? (['accept', 'reject'] as const) : (['reject', 'accept'] as const);
      const answers = await Promise.all(actions.map(async (action) => ({ action, ...(await request(action)) })));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204, 409]));
      const refused = answers.find(({ status }) => status === 409);
      expect(refused?.body['code']).toBe('voice_decided');
      const isAccepted = refused?.action === 'reject';
      expect(await displayNames(second.run)).toEqual([null, isAccepted ? 'Anna' : null]);
      expect(await rejectedVoices(profile.uuid)).toEqual(isAccepted ? [] : [second.speakers[1]]);
      for (const action of isAccepted ? (['remove', 'undo_reject'] as const) : (['undo_reject'] as const))
        expect((await request(action)).status).toBe(204);
    }
  });

  it('keeps the name that an editor of the recording gave it, and is not suggested any more', async () => {
    const editor = newUser();
    const [first, second] = [await record('anna', 'ben'), await record('carl', 'anna')];
    await name(first.speakers[0], 'Anna');
    const { profile } = await suggested(second.speakers[1]);
    await media.json(owner, 'PUT', `/api/files/${second.run.fileId}/shares`, {
      user_uuid: editor.userId,
      permission: 'editor',
    });
    await name(second.speakers[1], 'Bea', editor);
    expect(await openSuggestions()).toEqual([]);
    const accepted = await decide(second.speakers[1], 'accept', profile.uuid);
    expect([accepted.status, accepted.body['code']]).toEqual([409, 'voice_decided']);
    const added = await change((await profiles())[0], { speaker_uuids: [second.speakers[1]] });
    expect([added.status, added.body.code]).toEqual([409, 'voice_decided']);
    expect(await displayNames(second.run)).toEqual([null, 'Bea']);
  });

  it('is suggested again at once when its rejection is undone', async () => {
    const first = await record('anna', 'ben');
    const second = await record('carl', 'anna');
    await name(first.speakers[0], 'Anna');
    const suggestion = await suggested(second.speakers[1]);
    const { profile } = suggestion;
    await decide(second.speakers[1], 'reject', profile.uuid);
    expect(await openSuggestions()).toEqual([]);
    expect((await decide(second.speakers[1], 'undo_reject', profile.uuid)).status).toBe(204);
    expect(await openSuggestions()).toEqual([suggestion]);
    await compared();
    expect(await openSuggestions()).toEqual([suggestion]);
    expect((await decide(second.speakers[1], 'accept', profile.uuid)).status).toBe(204);
  });

  it('belongs to the profile as before when it is taken out of it and that is undone', async () => {
    const [first, second] = [await record('anna', 'ben'), await record('carl', 'anna')];
    await name(first.speakers[0], 'Anna');
    const { profile } = await suggested(second.speakers[1]);
    await decide(second.speakers[1], 'accept', profile.uuid);
    expect((await decide(second.speakers[1], 'remove', profile.uuid)).status).toBe(204);
    expect(await displayNames(second.run)).toEqual([null, null]);
    expect((await decide(second.speakers[1], 'accept_rejected', profile.uuid)).status).toBe(204);
    expect(await displayNames(second.run)).toEqual([null, 'Anna']);
    expect(await profiles()).toMatchObject([{ name: 'Anna', speakers: 2 }]);
    expect(await rejectedVoices(profile.uuid)).toEqual([]);
  });

  it('keeps the name that another editor gave it when it is taken out of a profile and that is undone', async () => {
    const editor = newUser();
    const { run, speakers } = await record('anna', 'ben');
    await name(speakers[0], 'Anna');
    const [anna] = await profiles();
    const share = { user_uuid: editor.userId, permission: 'editor' };
    await media.json(owner, 'PUT', `/api/files/${run.fileId}/shares`, share);
    await name(speakers[0], 'Anna Miller', editor);
    await decide(speakers[0], 'remove', anna?.uuid ?? '');
    await decide(speakers[0], 'accept_rejected', anna?.uuid ?? '');
    expect(await displayNames(run)).toEqual(['Anna Miller', null]);
    expect(await profiles()).toMatchObject([{ name: 'Anna', speakers: 1 }]);
  });

  it('keeps a later name when an older page takes back the rejection, or takes it back twice', async () => {
    const [first, second] = [await record('anna', 'ben'), await record('carl', 'anna')];
    await name(first.speakers[0], 'Anna');
    const { profile } = await suggested(second.speakers[1]);
    const takeBack = async () =>
      Promise.all(
        (['undo_reject', 'accept_rejected'] as const).map(async (action) => {
          const { status, body } = await decide(second.speakers[1], action, profile.uuid);
          return [status, body['code']];
        }),
      );
    const refused = [
      [409, 'voice_decided'],
      [409, 'voice_decided'],
    ];
    expect(await takeBack()).toEqual(refused);
    await decide(second.speakers[1], 'reject', profile.uuid);
    await name(second.speakers[1], 'Bea');
    expect(await takeBack()).toEqual(refused);
    expect(await displayNames(second.run)).toEqual([null, 'Bea']);
  });

  it('is listed among the rejected voices of a profile for people who may edit its recording, until it has a name', async () => {
    const { groupId, member } = await group();
    const [first, second] = [await record('anna', 'ben'), await record('carl', 'anna')];
    await media.json(owner, 'POST', '/api/speaker-profiles', {
      name: 'Anna',
      group_uuid: groupId,
      speaker_uuids: [first.speakers[0]],
    });
    const { profile } = await suggested(second.speakers[1]);
    await decide(second.speakers[1], 'reject', profile.uuid);
    expect(await rejectedVoices(profile.uuid)).toEqual([second.speakers[1]]);
    const share = (permission: string) =>
      media.json(owner, 'PUT', `/api/files/${second.run.fileId}/shares`, { user_uuid: member.userId, permission });
    await share('viewer');
    expect(await rejectedVoices(profile.uuid, member)).toEqual([]);
    expect((await decide(second.speakers[1], 'undo_reject', profile.uuid, member)).status).toBe(403);
    await share('editor');
    expect(await rejectedVoices(profile.uuid, member)).toEqual([second.speakers[1]]);
    await name(second.speakers[1], 'Bea');
    expect(await rejectedVoices(profile.uuid)).toEqual([]);
    const path = `/api/speaker-profiles/${profile.uuid}/rejected-voices`;
    expect((await media.json(newUser('admin'), 'GET', path)).status).toBe(404);
  });

  it('is applied when the profile allows it, with an entry of the service in the audit log', async () => {
    const first = await record('anna', 'ben');
    await name(first.speakers[0], 'Anna');
    const [profile] = await profiles();
    await media.json(owner, 'PUT', `/api/speaker-profiles/${profile?.uuid}`, { auto_apply: true });
    const second = await record('carl', 'anna');
    await waitFor(async () => (await displayNames(second.run))[1] === 'Anna' || undefined);
    const named = () => media.eventsOf('evt.media.action.performed.v1', second.run.fileId);
    await waitFor(() => named().find(({ data }) => data['action'] === 'speakers_named' && data['actorId'] === null));
  });

  it('keeps a name that a person gives it while a suggestion is applied, without an entry in the audit log', async () => {
    const [first, second] = [await record('anna', 'ben'), await record('carl', 'dora')];
    await name(first.speakers[0], 'Anna');
    await change((await profiles())[0], { auto_apply: true });
    await compared();
    const namer = new Client({ connectionString: media.databaseUrl });
    await namer.connect();
    await namer.query('begin');
    await namer.query('update speaker set display_name = $1 where uuid = $2', ['Bea', second.speakers[1]]);
    personOf.set(second.speakers[1] ?? '', 'anna');
    await media.emit(voiceEvents.indexed, { fileId: second.run.fileId, ownerId: owner.userId });
    const isBlocked = async () =>
      (
        await media.query(
          "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
        )
      )[0];
    await waitFor(isBlocked);
    await namer.query('commit');
    await namer.end();
    await compared();
    expect(await displayNames(second.run)).toEqual([null, 'Bea']);
    const actions = media
      .eventsOf('evt.media.action.performed.v1', second.run.fileId)
      .map(({ data }) => data['action']);
    expect(actions).not.toContain('speakers_named');
  });

  it('belongs to the profile of another name after it is renamed, and to none without a name', async () => {
    const { speakers } = await record('anna', 'ben');
    await name(speakers[0], 'Anna');
    await name(speakers[0], 'Bea');
    expect(await profiles()).toMatchObject([
      { name: 'Anna', speakers: 0 },
      { name: 'Bea', speakers: 1 },
    ]);
    await name(speakers[0], null);
    expect((await profiles())[1]).toMatchObject({ name: 'Bea', speakers: 0 });
  });

  it('makes no profile while voices may not be stored', async () => {
    await allow(false);
    const { speakers } = await record('anna', 'ben');
    await name(speakers[0], 'Anna');
    const { body } = await media.json(owner, 'GET', '/api/speaker-profiles');
    expect(body).toEqual({ enabled: false, profiles: [], without_members: [] });
    const created = await media.json(owner, 'POST', '/api/speaker-profiles', {
      name: 'Ben',
      speaker_uuids: [speakers[1]],
    });
    expect([created.status, created.body.code]).toEqual([409, 'voices_disabled']);
  });

  it('has a profile also when it got the name before voices were allowed', async () => {
    await allow(false);
    const [{ speakers }, other] = [await record('anna', 'ben'), await record('anna', 'cem')];
    await name(speakers[0], 'Anna');
    await name(other.speakers[0], 'anna');
    await allow(true);
    expect(await profiles()).toMatchObject([{ name: expect.stringMatching(/^anna$/i), speakers: 2 }]);
  });
});

describe('the recordings whose voices are embedded', () => {
  it('are listed without imported transcripts, which have no sound', async () => {
    const { run } = await record('anna', 'ben');
    const form = new FormData();
    form.set('file', new Blob(['1\n00:00:01,000 --> 00:00:02,000\nAda: Good morning.\n']), 'talk.srt');
    const imported = await media.call(owner, 'POST', '/api/transcripts/import', { body: form });
    const { uuid } = (await imported.json()) as FileDetail;
    const listed: ReplyOf<typeof mediaVoiceRpc.listVoiceFiles>['files'] = [];
    for (let last: string | null = null; ; last = listed.at(-1)?.fileId ?? null) {
      const { files } = await indexer.request(mediaVoiceRpc.listVoiceFiles, { after: last, limit: 500 });
      if (files.length === 0) break;
      listed.push(...files);
    }
    const ids = listed.filter(({ ownerId }) => ownerId === owner.userId).map(({ fileId }) => fileId);
    expect(ids).toEqual([run.fileId]);
    expect((await indexer.request(mediaVoiceRpc.voiceSource, { fileId: uuid })).file).toBeNull();
  });
});

describe('speaker profiles', () => {
  it('name all voices of a cluster at once', async () => {
    const first = await record('anna', 'ben');
    const second = await record('carl', 'anna');
    const { body } = await media.json<{ clusters: { voices: { speaker_uuid: string }[] }[] }>(
      owner,
      'GET',
      '/api/speaker-clusters',
    );
    const ids = body.clusters[0]?.voices.map(({ speaker_uuid }) => speaker_uuid) ?? [];
    expect(new Set(ids)).toEqual(new Set([first.speakers[0], second.speakers[1]]));
    const { status } = await media.json(owner, 'POST', '/api/speaker-profiles', { name: 'Anna', speaker_uuids: ids });
    expect(status).toBe(201);
    expect(await displayNames(second.run)).toEqual([null, 'Anna']);
  });

  it('take all voices of a cluster at once, or none', async () => {
    const [first, second, third] = [
      await record('anna', 'ben'),
      await record('carl', 'anna'),
      await record('anna', 'dora', newUser()),
    ];
    await name(first.speakers[0], 'Anna');
    const [anna] = await profiles();
    const voices = [second.speakers[1], third.speakers[0]];
    expect((await change(anna, { speaker_uuids: voices })).status).toBe(404);
    expect(await displayNames(second.run)).toEqual([null, null]);
    expect((await change(anna, { speaker_uuids: [second.speakers[1]] })).body).toMatchObject({ speakers: 2 });
    expect(await displayNames(second.run)).toEqual([null, 'Anna']);
  });

  it('are offered only for voices that are compared; the others are counted by their reason', async () => {
    const first = await record('anna', 'ben');
    const second = await record('carl', 'anna');
    personOf.delete(first.speakers[1] ?? '');
    for (const id of second.speakers) personOf.delete(id);
    waiting.add(second.run.fileId);
    const { body } = await media.json(owner, 'GET', '/api/speaker-clusters');
    expect(body).toMatchObject({ waiting: 2, failed: 0, too_short: 1 });
    expect(body).toHaveProperty('clusters.length', 1);
  });

  it('keep voices apart that a person said are different', async () => {
    const first = await record('anna', 'ben');
    const second = await record('carl', 'anna');
    expect((await separate(first.speakers[0], [second.speakers[1]])).status).toBe(204);
    await name(first.speakers[0], 'Anna');
    await compared();
    expect(await openSuggestions()).toEqual([]);
  });

  it('keep voices apart also from a profile with many newer voices', async () => {
    const [first, second] = [await record('anna', 'ben'), await record('carl', 'dora')];
    await separate(first.speakers[0], [second.speakers[1]]);
    await name(first.speakers[0], 'Anna');
    const [anna] = await profiles();
    // As if the profile had as many newer voices as are compared.
    await media.query(
      `insert into speaker (media_file_id, name, display_name, profile_id, created_at)
       select media_file_id, 'NEWER ' || i, 'Anna', profile_id, now() + interval '1 hour'
       from speaker, generate_series(1, $2) i where uuid = $1`,
      first.speakers[0],
      voiceLimits.voicesPerProfile,
    );
    const newer = await media.query('select uuid from speaker where profile_id = $1', anna?.uuid);
    for (const { uuid } of newer) personOf.set(uuid as string, 'anna');
    personOf.set(second.speakers[1] ?? '', 'anna');
    await media.emit(voiceEvents.indexed, { fileId: second.run.fileId, ownerId: owner.userId });
    await compared();
    expect(await openSuggestions()).toEqual([]);
  });

  it('are left out of the comparison of a voice for which they were rejected', async () => {
    const [first, second, third] = [
      await record('anna', 'ben'),
      await record('anna', 'carl'),
      await record('dora', 'anna'),
    ];
    await name(first.speakers[0], 'Anna');
    await name(second.speakers[0], 'Anne');
    const [anna] = await profiles();
    await compared();
    await decide(third.speakers[1], 'reject', anna?.uuid ?? '');
    await compared();
    expect(refusals.at(-1)).toEqual([{ speakerId: third.speakers[1], groupIds: [anna?.uuid] }]);
    expect((await suggested(third.speakers[1])).profile.name).toBe('Anne');
  });

  it('join voices again when a person takes back that they are different', async () => {
    const [first, second] = [await record('anna', 'ben'), await record('carl', 'anna')];
    const [one, other] = [first.speakers[0] ?? '', second.speakers[1] ?? ''];
    expect(await clusters()).toContainEqual({ voices: new Set([one, other]), keptApart: [] });
    await separate(one, [other]);
    expect(await clusters()).toEqual(
      expect.arrayContaining([
        { voices: new Set([one]), keptApart: [other] },
        { voices: new Set([other]), keptApart: [one] },
      ]),
    );
    expect((await undoSeparation([other], [one])).status).toBe(204);
    expect(await clusters()).toContainEqual({ voices: new Set([one, other]), keptApart: [] });
    const { status, body } = await undoSeparation([one], [other]);
    expect([status, body['code']]).toEqual([409, 'voice_decided']);
  });

  it('leave an audit record of every decision about who speaks, and of taking it back', async () => {
    const [first, second] = [await record('anna', 'ben'), await record('carl', 'anna')];
    const [one, other] = [first.speakers[0], second.speakers[1]];
    await separate(one, [other]);
    await undoSeparation([one], [other]);
    await name(one, 'Anna');
    const { profile } = await suggested(other);
    for (const action of ['reject', 'undo_reject', 'accept'] as const) await decide(other, action, profile.uuid);
    const recorded = () =>
      operations.filter(({ action, actorId }) => actorId === owner.userId && /^speakers?_[sv]/.test(action));
    await waitFor(() => (recorded().length >= 5 ? true : undefined));
    const [recordings, other_recordings] = [await titleOf(first.run), await titleOf(second.run)];
    const of = { profile: profile.uuid, name: 'Anna', speaker: other, recordings: other_recordings };
    const both = { others: other, recordings, other_recordings };
    expect(recorded().map(({ action, actorId, details }) => ({ action, actorId, details }))).toEqual(
      [
        { action: 'speakers_separated', details: { speaker: one, ...both } },
        { action: 'speakers_separation_undone', details: { speakers: one, ...both } },
        { action: 'speaker_verified', details: { decision: 'reject', ...of } },
        { action: 'speaker_verified', details: { decision: 'undo_reject', ...of } },
        { action: 'speaker_verified', details: { decision: 'accept', ...of } },
      ].map((entry) => ({ ...entry, actorId: owner.userId })),
    );
  });

  it('suggest a person again when it is taken back that a voice is different', async () => {
    const [first, second] = [await record('anna', 'ben'), await record('carl', 'anna')];
    await separate(first.speakers[0], [second.speakers[1]]);
    await name(first.speakers[0], 'Anna');
    await compared();
    expect(await openSuggestions()).toEqual([]);
    await undoSeparation([first.speakers[0]], [second.speakers[1]]);
    expect((await suggested(second.speakers[1])).profile.name).toBe('Anna');
  });

  it('are not kept apart when they are one profile by now', async () => {
    const [first, second] = [await record('anna', 'ben'), await record('anna', 'carl')];
    for (const { speakers } of [first, second]) await name(speakers[0], 'Anna');
    const { status, body } = await separate(first.speakers[0], [second.speakers[0]]);
    expect([status, body['code']]).toEqual([409, 'voice_decided']);
  });

  it('of other people are answered like those that do not exist', async () => {
    const { speakers } = await record('anna', 'ben');
    const stranger = newUser();
    const answers = await Promise.all([
      separate(speakers[0], [speakers[1]], stranger),
      separate(randomUUID(), [randomUUID()], stranger),
    ]);
    const [foreign, unknown] = answers.map(({ status, body }) => ({ ...body, status, request_id: '' }));
    expect(foreign).toEqual(unknown);
  });

  it('that get a name in a transcript leave an audit record of the profile', async () => {
    const { run, speakers } = await record('anna', 'ben');
    const named = { speaker: speakers[0], recordings: await titleOf(run) };
    await name(speakers[0], 'Anna');
    await name(speakers[0], 'Bea');
    const of = () =>
      operations.filter(({ actorId, details }) => actorId === owner.userId && details['speaker'] === speakers[0]);
    await waitFor(() => (of().length >= 2 ? true : undefined));
    const [anna, bea] = await profiles();
    expect(of().map(({ action, details }) => ({ action, details }))).toEqual([
      { action: 'speaker_profile_created', details: { ...named, profile: anna?.uuid, name: 'Anna' } },
      {
        action: 'speaker_profile_created',
        details: { ...named, profile: bea?.uuid, name: 'Bea', left: anna?.uuid, left_name: 'Anna' },
      },
    ]);
  });

  it('have the names of profiles and own recordings in their audit records, not titles of other people', async () => {
    const { groupId, member } = await group();
    const { run, speakers } = await record('anna', 'ben');
    const share = { user_uuid: member.userId, permission: 'editor' };
    await media.json(owner, 'PUT', `/api/files/${run.fileId}/shares`, share);
    const create = (given: string, speakerId: string | undefined) =>
      media.json<SpeakerProfile>(member, 'POST', '/api/speaker-profiles', {
        name: given,
        group_uuid: groupId,
        speaker_uuids: [speakerId],
      });
    const { body: anna } = await create('Anna', speakers[0]);
    const { body: ben } = await create('Ben', speakers[1]);
    await change(anna, { name: 'Anne' });
    await media.json(owner, 'POST', `/api/speaker-profiles/${ben.uuid}/merge/${anna.uuid}`);
    const of = () => operations.filter(({ details }) => details['profile'] === anna.uuid);
    await waitFor(() => of().length >= 3 || undefined);
    const profile = anna.uuid;
    expect(of().map(({ action, actorId, details }) => ({ action, actorId, details }))).toEqual([
      { action: 'speaker_profile_created', actorId: member.userId, details: { profile, name: 'Anna', speakers: 1 } },
      {
        action: 'speaker_profile_changed',
        actorId: owner.userId,
        details: { profile, name: 'Anne', previous_name: 'Anna' },
      },
      {
        action: 'speaker_profile_changed',
        actorId: owner.userId,
        details: { profile, name: 'Anne', merged: ben.uuid, merged_name: 'Ben' },
      },
    ]);
  });

  it('are kept apart until someone who may edit all of the recordings takes it back', async () => {
    const [first, second] = [await record('anna', 'ben'), await record('carl', 'anna')];
    await separate(first.speakers[0], [second.speakers[1]]);
    const reader = newUser();
    const undo = () => undoSeparation([first.speakers[0]], [second.speakers[1]], reader);
    const share = ({ run }: { run: Run }, permission: string) =>
      media.json(owner, 'PUT', `/api/files/${run.fileId}/shares`, { user_uuid: reader.userId, permission });
    expect((await undo()).status).toBe(404);
    await share(first, 'editor');
    await share(second, 'viewer');
    expect((await undo()).status).toBe(403);
    expect((await clusters()).flatMap(({ keptApart }) => keptApart)).toHaveLength(2);
  });

  it('are not made of voices that are different people or got another name after the page was read', async () => {
    const recorded = [await record('anna', 'ben'), await record('carl', 'anna'), await record('anna', 'dora')];
    const [one, other, named] = [recorded[0]?.speakers[0], recorded[1]?.speakers[1], recorded[2]?.speakers[0]];
    await name(recorded[0]?.speakers[1], 'Ben');
    const ben = (await profiles()).find((profile) => profile.name === 'Ben');
    await separate(one, [other]);
    await name(named, 'Bea');
    for (const ids of [
      [one, other],
      [one, named],
    ]) {
      const created = await media.json(owner, 'POST', '/api/speaker-profiles', { name: 'Anna', speaker_uuids: ids });
      expect([created.status, created.body['code']]).toEqual([409, 'voice_decided']);
      const changed = await change(ben, { speaker_uuids: ids });
      expect([changed.status, changed.body.code]).toEqual([409, 'voice_decided']);
    }
    expect((await profiles()).map((profile) => profile.name)).toEqual(['Bea', 'Ben']);
    expect((await change(ben, { speaker_uuids: [other] })).status).toBe(200);
  });

  it('are merged and split, and a split is remembered', async () => {
    const first = await record('anna', 'ben');
    const second = await record('anna', 'carl');
    await name(first.speakers[0], 'Anna');
    await name(second.speakers[0], 'Anne');
    const [anna, anne] = await profiles();
    await media.json(owner, 'POST', `/api/speaker-profiles/${anne?.uuid}/merge/${anna?.uuid}`);
    expect(await displayNames(second.run)).toEqual(['Anna', null]);
    expect((await split(anna?.uuid, { name: 'Dora', speaker_uuids: [second.speakers[0]] })).status).toBe(201);
    expect(await displayNames(second.run)).toEqual(['Dora', null]);
    await name(second.speakers[0], null);
    await compared();
    expect((await openSuggestions()).filter(({ profile }) => profile.uuid === anna?.uuid)).toEqual([]);
  });

  it('keep a rejection when they are merged into another profile', async () => {
    const [first, second] = [await record('anna', 'ben'), await record('anna', 'carl')];
    const third = await record('dora', 'anna');
    await name(first.speakers[0], 'Anna');
    await name(second.speakers[0], 'Anne');
    const [anna, anne] = await profiles();
    await compared();
    await decide(third.speakers[1], 'reject', anne?.uuid ?? '');
    await media.json(owner, 'POST', `/api/speaker-profiles/${anne?.uuid}/merge/${anna?.uuid}`);
    await compared();
    expect(await openSuggestions()).toEqual([]);
    expect(await rejectedVoices(anna?.uuid ?? '')).toEqual([third.speakers[1]]);
  });

  it('change no recording when they are saved with the name that they have', async () => {
    const { run, speakers } = await record('anna', 'ben');
    await name(speakers[0], 'Anna');
    const version = () => media.query('select transcript_version from media_file where uuid = $1', run.fileId);
    const before = await version();
    expect((await change((await profiles())[0], { name: 'Anna' })).status).toBe(200);
    expect(await version()).toEqual(before);
  });

  it('give voices to another profile of their owner when they are split by its name', async () => {
    const recorded = [await record('anna', 'ben'), await record('anna', 'carl'), await record('dora', 'emil')];
    const [stays, moves, dora] = recorded.map(({ speakers }) => speakers[0]);
    for (const id of [stays, moves]) await name(id, 'Anna');
    await name(dora, 'Dora');
    const [anna, other] = await profiles();
    const { status, body } = await split(anna?.uuid, { name: 'dora', speaker_uuids: [moves] });
    expect([status, body]).toMatchObject([201, { uuid: other?.uuid, name: 'Dora', speakers: 2 }]);
    expect(await profiles()).toMatchObject([
      { name: 'Anna', speakers: 1 },
      { name: 'Dora', speakers: 2 },
    ]);
    expect(await displayNames(recorded[1]!.run)).toEqual(['Dora', null]);
    const changed = await waitFor(() => operations.find(({ details }) => details['split_from'] === anna?.uuid));
    expect(changed).toMatchObject({
      action: 'speaker_profile_changed',
      details: { profile: other?.uuid, name: 'Dora', split_from_name: 'Anna', speakers: 1 },
    });
    await name(moves, null);
    await compared();
    expect((await openSuggestions()).filter(({ profile }) => profile.uuid === anna?.uuid)).toEqual([]);
  });

  it('take voices back from a split without what said that they are different', async () => {
    const [first, second] = [await record('anna', 'ben'), await record('anna', 'carl')];
    for (const { speakers } of [first, second]) await name(speakers[0], 'Anna');
    const [anna] = await profiles();
    const { body: dora } = await split(anna?.uuid, { name: 'Dora', speaker_uuids: [second.speakers[0]] });
    expect((await split(dora.uuid, { name: 'Anna', speaker_uuids: [second.speakers[0]] })).body).toMatchObject({
      uuid: anna?.uuid,
      speakers: 2,
    });
    const apart = await media.query('select 1 from speaker_apart where $1 in (first_id, second_id)', first.speakers[0]);
    expect(apart).toEqual([]);
    const rejected = await media.query(
      'select profile_id from speaker_suggestion where speaker_id = $1',
      second.speakers[0],
    );
    expect(rejected).toEqual([{ profile_id: dora.uuid }]);
  });

  it('are not split by their own name, and give nothing to a profile of another owner', async () => {
    const { groupId, member } = await group();
    const [first, second] = [await record('anna', 'ben'), await record('anna', 'carl')];
    const theirs = await record('dora', 'emil', member);
    for (const { speakers } of [first, second]) await name(speakers[0], 'Anna');
    const shared = { name: 'Dora', group_uuid: groupId, speaker_uuids: [theirs.speakers[0]] };
    await media.json(member, 'POST', '/api/speaker-profiles', shared);
    const anna = (await profiles()).find(({ group_uuid: of }) => of === null);
    const moved = [second.speakers[0]];
    expect((await split(anna?.uuid, { name: 'anna', speaker_uuids: moved })).body.code).toBe('profile_exists');
    expect((await split(anna?.uuid, { name: 'Dora', speaker_uuids: moved })).body).toMatchObject({
      group_uuid: null,
      speakers: 1,
    });
    expect(await profiles(member)).toMatchObject([{ name: 'Dora', speakers: 1 }]);
  });

  it('are exported with the voices, decisions and embeddings of the own recordings, and nothing of other people', async () => {
    const first = await record('anna', 'ben');
    await record('anna', 'carl', newUser());
    await name(first.speakers[0], 'Anna');
    const { body } = await media.json<AnswerOf<typeof mediaRoutes.exportVoices>>(
      owner,
      'GET',
      '/api/speaker-profiles/export',
    );
    expect(body.profiles).toMatchObject([{ name: 'Anna', speakers: 1 }]);
    expect(body.voices.map(({ speaker_uuid }) => speaker_uuid).toSorted()).toEqual(first.speakers.toSorted());
    const anna = body.voices.find(({ speaker_uuid }) => speaker_uuid === first.speakers[0]);
    expect(anna).toMatchObject({
      profile_uuid: body.profiles[0]?.uuid,
      embeddings: [{ version: 'v3', vector: [0.5, -1] }],
    });
  });

  it('leave an audit record of each export, and none of a refused one', async () => {
    const { speakers } = await record('anna', 'ben');
    await name(speakers[0], 'Anna');
    const exported = () =>
      operations.filter(({ action, actorId }) => action === 'voices_exported' && actorId === owner.userId);
    const request = () => media.json(owner, 'GET', '/api/speaker-profiles/export');
    await request();
    await request();
    await allow(false);
    expect((await request()).status).toBe(409);
    await allow(true);
    await request();
    await waitFor(() => exported().length >= 3 || undefined);
    expect(exported().map(({ details }) => details)).toEqual([
      { profiles: 1, voices: 2, embeddings: 2 },
      { profiles: 1, voices: 2, embeddings: 2 },
      { profiles: 1, voices: 2, embeddings: 2 },
    ]);
  });

  it('are deleted with their embeddings, which are not computed again', async () => {
    const { run, speakers } = await record('anna', 'ben');
    await name(speakers[0], 'Anna');
    const [profile] = await profiles();
    expect((await media.json(owner, 'DELETE', `/api/speaker-profiles/${profile?.uuid}`)).status).toBe(204);
    await waitFor(() => media.eventsOf('evt.media.speakers.outdated.v1', run.fileId)[0]);
    const { file } = await indexer.request(mediaVoiceRpc.voiceSource, { fileId: run.fileId });
    expect(file?.speakers.map(({ speakerId }) => speakerId)).toEqual([speakers[1]]);
    expect(await displayNames(run)).toEqual(['Anna', null]);
  });

  it('are made again of the voices of a deleted profile when the owner of the recordings allows it', async () => {
    const editor = newUser();
    const [first, second] = [await record('anna', 'ben'), await record('anna', 'carl')];
    await name(first.speakers[0], 'Anna');
    const share = { user_uuid: editor.userId, permission: 'editor' };
    await media.json(owner, 'PUT', `/api/files/${first.run.fileId}/shares`, share);
    await media.json(owner, 'DELETE', `/api/speaker-profiles/${(await profiles())[0]?.uuid}`);
    expect(await excludedVoices()).toEqual([{ speaker_uuid: first.speakers[0], name: 'Anna' }]);
    const body = { speaker_uuids: [first.speakers[0]] };
    const allowAgain = (person: TestUser) =>
      media.json(person, 'POST', '/api/speaker-profiles/excluded-voices/allow', body);
    for (const [person, status] of [
      [newUser(), 404],
      [newUser('admin'), 403],
      [editor, 403],
    ] as const) {
      expect(await excludedVoices(person)).toEqual([]);
      expect((await allowAgain(person)).status).toBe(status);
    }
    const outdated = () => media.eventsOf('evt.media.speakers.outdated.v1', first.run.fileId);
    await waitFor(() => outdated()[0]);
    expect((await allowAgain(owner)).status).toBe(204);
    expect(await excludedVoices()).toEqual([]);
    await waitFor(() => outdated()[1]);
    const { file } = await indexer.request(mediaVoiceRpc.voiceSource, { fileId: first.run.fileId });
    expect(file?.speakers.map(({ speakerId }) => speakerId).toSorted()).toEqual(first.speakers.toSorted());
    expect(await profiles()).toMatchObject([{ name: 'Anna', speakers: 1 }]);
    expect((await suggested(second.speakers[0])).profile.name).toBe('Anna');
    expect((await allowAgain(owner)).status).toBe(204);
    const allowed = () =>
      operations.filter(({ action, actorId }) => action === 'voices_allowed' && actorId === owner.userId);
    await waitFor(() => allowed()[0]);
    const recordings = await titleOf(first.run);
    expect(allowed().map(({ details }) => details)).toEqual([
      { speakers: first.speakers[0], names: 'Anna', recordings },
    ]);
  });

  it('are made again only of voices with a name, and never of those in the bin; the others are suggested', async () => {
    const [first, second, third] = [
      await record('anna', 'ben'),
      await record('anna', 'carl'),
      await record('dora', 'anna'),
    ];
    for (const id of [first.speakers[0], second.speakers[0], third.speakers[1]]) await name(id, 'Anna');
    await media.json(owner, 'DELETE', `/api/speaker-profiles/${(await profiles())[0]?.uuid}`);
    await name(second.speakers[0], null);
    await media.json(owner, 'DELETE', `/api/files/${third.run.fileId}`);
    const excluded = await excludedVoices();
    expect(new Map(excluded.map((voice) => [voice.speaker_uuid, voice.name]))).toEqual(
      new Map([
        [first.speakers[0], 'Anna'],
        [second.speakers[0], null],
      ]),
    );
    const body = { speaker_uuids: excluded.map(({ speaker_uuid: id }) => id) };
    expect((await media.json(owner, 'POST', '/api/speaker-profiles/excluded-voices/allow', body)).status).toBe(204);
    expect(await profiles()).toMatchObject([{ name: 'Anna', speakers: 1 }]);
    expect((await suggested(second.speakers[0])).profile.name).toBe('Anna');
  });

  it('are renamed and deleted without effect on recordings that are no longer shared', async () => {
    const alice = newUser();
    const { run, speakers } = await record('anna', 'ben', alice);
    const share = { user_uuid: owner.userId, permission: 'editor' };
    const shared = await media.json<{ uuid: string }>(alice, 'PUT', `/api/files/${run.fileId}/shares`, share);
    expect(shared.status).toBe(200);
    const made = await media.json<SpeakerProfile>(owner, 'POST', '/api/speaker-profiles', {
      name: 'Anna',
      group_uuid: null,
      speaker_uuids: [speakers[0]],
    });
    expect(made.status).toBe(201);
    const own = await record('anna', 'carl');
    await suggested(own.speakers[0]);
    await media.json(alice, 'DELETE', `/api/files/${run.fileId}/shares/${shared.body.uuid}`);
    expect((await change(made.body, { name: 'Defaced' })).status).toBe(200);
    expect(await displayNames(run, alice)).toEqual(['Anna', null]);
    await compared();
    expect(await openSuggestions()).toEqual([]);
    expect((await media.json(owner, 'DELETE', `/api/speaker-profiles/${made.body.uuid}`)).status).toBe(204);
    await name(speakers[0], 'Anna Miller', alice);
    expect((await profiles(alice)).map((profile) => profile.name)).toEqual(['Anna Miller']);
  });

  it('of a group do not tell its members whose voice a masked name is, nor change recordings they may not edit', async () => {
    const { groupId, member } = await group();
    const { run, speakers } = await record('anna', 'ben');
    const made = await media.json<SpeakerProfile>(owner, 'POST', '/api/speaker-profiles', {
      name: 'Anna',
      group_uuid: groupId,
      speaker_uuids: [speakers[0]],
    });
    await media.json(owner, 'PUT', `/api/files/${run.fileId}/shares`, {
      user_uuid: member.userId,
      permission: 'viewer',
    });
    const occurrences = async () =>
      (await media.json<unknown[]>(member, 'GET', `/api/speaker-profiles/${made.body.uuid}/occurrences`)).body;
    expect(await occurrences()).toHaveLength(1);
    await media.json(owner, 'PUT', `/api/files/${run.fileId}/redaction`, { masked_kinds: ['name'] });
    expect(await occurrences()).toEqual([]);
    const renamed = await media.json(member, 'PUT', `/api/speaker-profiles/${made.body.uuid}`, { name: 'Someone' });
    expect(renamed.status).toBe(200);
    // Its owner does not see the masked name either.
    expect(await media.query('select display_name from speaker where uuid = $1', speakers[0])).toEqual([
      { display_name: 'Anna' },
    ]);
  });

  it('count no recordings in the bin', async () => {
    const [first, second] = [await record('anna', 'ben'), await record('anna', 'carl')];
    await name(first.speakers[0], 'Anna');
    const [before] = await profiles();
    await name(second.speakers[0], 'Anna');
    expect((await profiles())[0]?.seconds).toBeGreaterThan(before?.seconds ?? Infinity);
    await media.json(owner, 'DELETE', `/api/files/${second.run.fileId}`);
    expect(await profiles()).toEqual([before]);
  });

  it('are neither seen nor changed by other people', async () => {
    const { speakers } = await record('anna', 'ben');
    await name(speakers[0], 'Anna');
    const [profile] = await profiles();
    const stranger = newUser('admin');
    expect(await profiles(stranger)).toEqual([]);
    const calls = [
      ['PUT', '', { name: 'X' }],
      ['DELETE', '', undefined],
      ['GET', '/occurrences', undefined],
      ['POST', '/split', { name: 'X', speaker_uuids: speakers }],
    ] as const;
    for (const [method, path, body] of calls) {
      const answer = await media.json(stranger, method, `/api/speaker-profiles/${profile?.uuid}${path}`, body);
      expect([path, answer.status]).toEqual([path, 404]);
    }
  });

  it('of a group are suggested to its members', async () => {
    const { groupId, member } = await group();
    const { speakers } = await record('anna', 'ben', member);
    const profile = { name: 'Anna', group_uuid: groupId, speaker_uuids: [speakers[0]] };
    expect((await media.json(member, 'POST', '/api/speaker-profiles', profile)).status).toBe(201);
    const own = await record('anna', 'carl');
    expect((await suggested(own.speakers[0])).profile.name).toBe('Anna');
  });

  it('move to a group of their owner, where its members see them and nothing is applied unasked', async () => {
    const { groupId, member } = await group();
    const { speakers } = await record('anna', 'ben');
    const theirs = await record('anna', 'carl', member);
    await name(speakers[0], 'Anna');
    const [anna] = await profiles();
    await change(anna, { auto_apply: true });
    const moved = await change(anna, { group_uuid: groupId });
    expect(moved.body).toMatchObject({ group_uuid: groupId, auto_apply: false, speakers: 1 });
    expect(await profiles(member)).toMatchObject([{ uuid: anna?.uuid }]);
    await waitFor(async () =>
      (await openSuggestions(member)).find(({ voice }) => voice.speaker_uuid === theirs.speakers[0]),
    );
  });

  it('leave the voices of other people behind when they move back to one person', async () => {
    const { groupId, member } = await group();
    const [own, theirs] = [await record('anna', 'ben'), await record('anna', 'carl', member)];
    await name(own.speakers[0], 'Anna');
    const [anna] = await profiles();
    await change(anna, { group_uuid: groupId });
    await name(theirs.speakers[0], 'Anna', member);
    expect(await profiles(member)).toMatchObject([{ uuid: anna?.uuid, speakers: 1 }]);
    expect((await change(anna, { group_uuid: null })).body).toMatchObject({ group_uuid: null, speakers: 1 });
    expect(await profiles(member)).toEqual([]);
    expect(await displayNames(theirs.run, member)).toEqual(['Anna', null]);
  });

  it('leave the voices of other people behind when they are merged into the profile of one person', async () => {
    const { groupId, member } = await group();
    const [own, theirs] = [await record('anna', 'ben'), await record('anna', 'carl', member)];
    await name(own.speakers[0], 'Anne');
    const shared = { name: 'Anna', group_uuid: groupId, speaker_uuids: [theirs.speakers[0]] };
    const { body: anna } = await media.json<SpeakerProfile>(member, 'POST', '/api/speaker-profiles', shared);
    const anne = (await profiles()).find(({ group_uuid: of }) => of === null);
    const path = `/api/speaker-profiles/${anna.uuid}/merge/${anne?.uuid}`;
    expect((await media.json(owner, 'POST', path)).body).toMatchObject({ name: 'Anne', speakers: 1 });
    expect(await displayNames(theirs.run, member)).toEqual(['Anna', null]);
  });

  it('move neither to a group of other people nor to one that has a profile of their name', async () => {
    const { groupId, member } = await group();
    const [own, theirs] = [await record('anna', 'ben'), await record('anna', 'carl', member)];
    await name(own.speakers[0], 'Anna');
    const [anna] = await profiles();
    expect((await change(anna, { group_uuid: randomUUID() })).status).toBe(404);
    const taken = { name: 'anna', group_uuid: groupId, speaker_uuids: [theirs.speakers[0]] };
    await media.json(member, 'POST', '/api/speaker-profiles', taken);
    expect((await change(anna, { group_uuid: groupId })).body).toMatchObject({ code: 'profile_exists' });
    expect((await profiles()).find(({ uuid }) => uuid === anna?.uuid)).toMatchObject({ group_uuid: null });
  });

  it('of a group name no speaker without a question, because members cannot read all recordings of each other', async () => {
    const { groupId, member } = await group();
    const [own, theirs] = [await record('anna', 'ben'), await record('anna', 'carl', member)];
    const profile = { name: 'Anna', group_uuid: groupId, speaker_uuids: [own.speakers[0]] };
    const { body: anna } = await media.json<SpeakerProfile>(owner, 'POST', '/api/speaker-profiles', profile);
    const { status, body } = await change(anna, { auto_apply: true });
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    // As an earlier release allowed it.
    await media.query('update speaker_profile set auto_apply = true where uuid = $1', anna.uuid);
    await media.emit(voiceEvents.indexed, { fileId: theirs.run.fileId, ownerId: member.userId });
    await waitFor(async () =>
      (await openSuggestions(member)).find(({ voice }) => voice.speaker_uuid === theirs.speakers[0]),
    );
    expect(await displayNames(theirs.run, member)).toEqual([null, null]);
  });

  it('take their voice only from recordings of the person who deletes them', async () => {
    const { groupId, member } = await group();
    const [own, theirs] = [await record('anna', 'ben'), await record('anna', 'carl', member)];
    const share = { user_uuid: owner.userId, permission: 'editor' };
    await media.json(member, 'PUT', `/api/files/${theirs.run.fileId}/shares`, share);
    for (const group_uuid of [null, groupId]) {
      const voices = group_uuid === null ? [theirs.speakers[0]] : [own.speakers[0], theirs.speakers[0]];
      const profile = { name: 'Anna', group_uuid, speaker_uuids: voices };
      const { body: anna } = await media.json<SpeakerProfile>(owner, 'POST', '/api/speaker-profiles', profile);
      expect((await media.json(owner, 'DELETE', `/api/speaker-profiles/${anna.uuid}`)).status).toBe(204);
      const [kept] = await media.query(
        'select profile_id, display_name, voice_excluded from speaker where uuid = $1',
        theirs.speakers[0],
      );
      expect(kept).toEqual({ profile_id: null, display_name: 'Anna', voice_excluded: false });
      await media.query('update speaker set display_name = null where uuid = any($1)', voices);
    }
    const again = { name: 'Anna', speaker_uuids: [own.speakers[0]] };
    expect((await media.json(owner, 'POST', '/api/speaker-profiles', again)).body['code']).toBe('speaker_mismatch');
  });

  it('are counted by the recordings that a person may read', async () => {
    const { groupId, member } = await group();
    const [own, theirs] = [await record('anna', 'ben'), await record('anna', 'carl', member)];
    const shares = `/api/files/${theirs.run.fileId}/shares`;
    const share = { user_uuid: owner.userId, permission: 'editor' };
    const { body: shared } = await media.json<{ uuid: string }>(member, 'PUT', shares, share);
    const profile = { name: 'Anna', group_uuid: groupId, speaker_uuids: [own.speakers[0], theirs.speakers[0]] };
    await media.json(owner, 'POST', '/api/speaker-profiles', profile);
    expect(await profiles()).toMatchObject([{ speakers: 2, files: 2 }]);
    expect(await profiles(member)).toMatchObject([{ speakers: 1, files: 1 }]);
    await media.json(member, 'DELETE', `${shares}/${shared.uuid}`);
    expect(await profiles()).toMatchObject([{ speakers: 1, files: 1 }]);
  });

  it('keep apart, when they are split, only voices that the person may edit', async () => {
    const { groupId, member } = await group();
    const [own, theirs] = [await record('anna', 'ben'), await record('anna', 'carl', member)];
    for (const [speakerId, person] of [
      [own.speakers[0], owner],
      [theirs.speakers[0], member],
    ] as const) {
      const [known] = await profiles(person);
      const voices = { name: 'Anna', group_uuid: groupId, speaker_uuids: [speakerId] };
      if (known) await media.json(person, 'PUT', `/api/speaker-profiles/${known.uuid}`, { speaker_uuids: [speakerId] });
      else await media.json(person, 'POST', '/api/speaker-profiles', voices);
    }
    const [anna] = await profiles();
    expect((await split(anna?.uuid, { name: 'Bea', speaker_uuids: [own.speakers[0]] })).status).toBe(201);
    expect(
      await media.query('select 1 from speaker_apart where first_id = $1 or second_id = $1', own.speakers[0]),
    ).toEqual([]);
  });

  it('keep apart, when they are split, the newest of many voices', async () => {
    const [first, second] = [await record('anna', 'ben'), await record('anna', 'carl')];
    for (const { speakers } of [first, second]) await name(speakers[0], 'Anna');
    await media.query(
      `insert into speaker (media_file_id, name, display_name, profile_id, created_at)
       select media_file_id, 'NEWER ' || i, 'Anna', profile_id, now() + i * interval '1 hour'
       from speaker, generate_series(1, 100) i where uuid = $1`,
      first.speakers[0],
    );
    const moves = second.speakers[0];
    expect((await split((await profiles())[0]?.uuid, { name: 'Bea', speaker_uuids: [moves] })).status).toBe(201);
    const apart = await media.query(
      `select s.name from speaker_apart join speaker s on s.uuid in (first_id, second_id) and s.uuid <> $1
       where $1 in (first_id, second_id)`,
      moves,
    );
    const newest = Array.from({ length: 20 }, (_, i) => `NEWER ${81 + i}`);
    expect(new Set(apart.map((row) => row['name']))).toEqual(new Set(newest));
  });

  it('stay consistent, without failures, when they are accepted, split, merged and deleted at the same time', async () => {
    const recorded = [];
    for (let i = 0; i < 4; i++) recorded.push(await record('anna', 'ben'));
    const voices = recorded.map(({ speakers }) => speakers[0] ?? '');
    await name(voices[0], 'Anna');
    await name(recorded[0]?.speakers[1], 'Ben');
    const [anna, ben] = await profiles();
    const path = (id: string | undefined) => `/api/speaker-profiles/${id}`;
    const splits = Array.from({ length: 6 }, (_, i) =>
      split(anna?.uuid, { name: `Part ${i}`, speaker_uuids: [voices[0]] }),
    );
    const answered = Map.groupBy(await Promise.all(splits), ({ status }) => status);
    expect([answered.get(201)?.length, answered.get(400)?.length]).toEqual([1, 5]);
    const mixed = await Promise.all([
      ...voices.slice(1).map((id) => decide(id, 'accept', anna?.uuid ?? '')),
      ...voices.slice(1).map((id) => decide(id, 'reject', ben?.uuid ?? '')),
      media.json(owner, 'POST', `${path(anna?.uuid)}/merge/${ben?.uuid}`),
      media.json(owner, 'POST', `${path(ben?.uuid)}/merge/${anna?.uuid}`),
      media.json(owner, 'DELETE', path(anna?.uuid)),
      media.json(owner, 'DELETE', path(ben?.uuid)),
    ]);
    expect(mixed.map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
    const left = await media.query(
      `select 1 from speaker where display_name in ('Anna', 'Ben') and profile_id is null and not voice_excluded
       and media_file_id = any($1)`,
      recorded.map(({ run }) => run.fileId),
    );
    expect(left).toEqual([]);
  });

  it('of a group are deleted with their embeddings and an audit record when the group is deleted', async () => {
    const { groupId } = await group();
    const { run, speakers } = await record('anna', 'ben');
    await name(speakers[0], 'Anna');
    const [anna] = await profiles();
    await change(anna, { group_uuid: groupId });
    await media.emit(identityEvents.groupDeleted, { groupId, deletedBy: boss.userId });
    await waitFor(() => media.eventsOf('evt.media.speakers.outdated.v1', run.fileId)[0]);
    expect(await media.query('select 1 from speaker_profile where uuid = $1', anna?.uuid)).toEqual([]);
    expect(await displayNames(run)).toEqual(['Anna', null]);
    const details = { name: 'Anna', group: groupId };
    expect(await deletionOf(anna?.uuid)).toMatchObject({ actorId: boss.userId, details });
  });

  it('of a group without members are listed and deleted by administrators, and by no one else', async () => {
    const { groupId, member } = await group();
    const { run, speakers } = await record('anna', 'ben');
    await name(speakers[0], 'Anna');
    const [anna] = await profiles();
    await change(anna, { group_uuid: groupId });
    const admin = newUser('admin');
    const list = (person: TestUser) =>
      media.json<AnswerOf<typeof mediaRoutes.listProfiles>>(person, 'GET', '/api/speaker-profiles');
    const send = (person: TestUser, method: string, body?: object) =>
      media.json(person, method, `/api/speaker-profiles/${anna?.uuid}`, body);
    await media.setGroups(owner, []);
    await waitFor(async () => (await profiles()).length === 0 || undefined);
    expect((await list(admin)).body.without_members).toEqual([]);
    expect((await send(admin, 'DELETE')).status).toBe(404);

    await media.setGroups(member, []);
    await waitFor(async () => (await list(admin)).body.without_members.length > 0 || undefined);
    expect((await list(admin)).body).toMatchObject({
      profiles: [],
      without_members: [{ uuid: anna?.uuid, name: 'Anna', group_uuid: groupId, speakers: 1 }],
    });
    expect((await list(owner)).body).toMatchObject({ profiles: [], without_members: [] });
    expect([(await send(owner, 'DELETE')).status, (await send(admin, 'PUT', { name: 'X' })).status]).toEqual([
      404, 404,
    ]);
    expect((await send(admin, 'DELETE')).status).toBe(204);
    expect((await list(admin)).body.without_members).toEqual([]);
    await waitFor(() => media.eventsOf('evt.media.speakers.outdated.v1', run.fileId)[0]);
    expect(await displayNames(run)).toEqual(['Anna', null]);
    const details = { name: 'Anna', group: groupId };
    expect(await deletionOf(anna?.uuid)).toMatchObject({ actorId: admin.userId, details });
  });

  it('of one person are never listed to administrators as those of groups, even if no group has members', async () => {
    const { speakers } = await record('anna', 'ben');
    await name(speakers[0], 'Anna');
    const [anna] = await profiles();
    await media.query('delete from media_membership');
    const admin = newUser('admin');
    const { body } = await media.json<AnswerOf<typeof mediaRoutes.listProfiles>>(admin, 'GET', '/api/speaker-profiles');
    expect(body.without_members.filter(({ group_uuid: of }) => of === null)).toEqual([]);
    expect((await media.json(admin, 'DELETE', `/api/speaker-profiles/${anna?.uuid}`)).status).toBe(404);
  });

  it('are all deleted when voices may not be stored any more', async () => {
    const { speakers } = await record('anna', 'ben');
    await name(speakers[0], 'Anna');
    await allow(false);
    expect(await media.query('select 1 from speaker_profile')).toEqual([]);
    await waitFor(() => media.messages.findLast(({ subject }) => subject === 'evt.media.speakers.allowed-changed.v1'));
  });
});
