import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { FileDetail, RedactionPolicy, SegmentObject, TranscriptArtefact } from '@overtone/contracts';
import { settingsByKey } from '@overtone/testkit';
import { cleanUpAfterTest } from '@overtone/testkit/cleanup';
import { mediaRpc, workerRpc } from '@overtone/contracts';
import { unavailable, type Bus } from '@overtone/service-kit';
import { engine, transcribed, wordsOf, type Run } from '../../test/runs.ts';
import { newUser, startMedia, waitFor, type TestUser } from '../../test/start-media.ts';

const card = 'four one one one one one one one one one one one one one one one';
const spoken = [
  'my name is Ada Lovelace',
  `the card number is ${card}`,
  'my number is 415 555 2671 thanks',
  'let us begin',
];

function personal(): TranscriptArtefact {
  return {
    language: 'en',
    engine,
    diarization: { provider: 'acoustic', degraded: null },
    speakers: ['SPEAKER_01'],
    segments: spoken.map((text, i) => ({
      start: i * 10,
      end: i * 10 + 8,
      speaker: 0,
      text,
      confidence: 0.8,
      words: wordsOf(text, i * 10),
    })),
  };
}

const nothingMasked: RedactionPolicy = {
  masked_kinds: [],
  masked_for: ['viewer', 'editor', 'owner', 'administrator'],
  withhold_unscanned: true,
  reveal_for: ['owner'],
  audio_masking: 'off',
};
const media = await startMedia();
let indexer: Bus;
let run: Run;
let boss: TestUser;
const viewer = newUser();
beforeAll(async () => {
  indexer = await media.connectAs('search-indexer');
});

beforeEach(async () => {
  boss = newUser('super_admin');
  await setPolicy(nothingMasked);
  run = await transcribed(media, undefined, personal());
  await media.json(run.owner, 'PUT', `/api/files/${run.fileId}/shares`, {
    user_uuid: viewer.userId,
    permission: 'editor',
  });
  await scanned();
});

function setPolicy(change: Partial<RedactionPolicy>) {
  return media.json(boss, 'PUT', '/api/admin/redaction-policy', change);
}

async function scanned(): Promise<void> {
  await waitFor(async () => (await redactionOf(run.owner)).scan_status === 'scanned' || undefined);
}

async function redactionOf(person: TestUser) {
  const { body } = await media.json<Record<string, unknown>>(person, 'GET', `/api/files/${run.fileId}/redaction`);
  return body;
}

async function segmentsFor(person: TestUser): Promise<SegmentObject[]> {
  const { body } = await media.json<FileDetail>(person, 'GET', `/api/files/${run.fileId}`);
  return body.transcript_segments;
}

async function textsFor(person: TestUser) {
  return (await segmentsFor(person)).map(({ text }) => text);
}

describe('the policy', () => {
  it('is described with its source, restored by null, and its changes are audited', async () => {
    const { body } = await setPolicy({ masked_kinds: ['phone', 'phone'] });
    expect(settingsByKey(body)).toMatchObject({
      masked_kinds: { value: ['phone'], source: 'stored', default_value: [], updated_by: boss.userId },
      reveal_for: { value: ['owner'], source: 'default' },
    });
    const restored = await media.json(boss, 'PUT', '/api/admin/redaction-policy', { masked_kinds: null });
    expect(settingsByKey(restored.body)['masked_kinds']).toMatchObject({ value: [], source: 'default' });
    expect((await setPolicy({})).status).toBe(400);
    const audited = await media.query(
      `select data->'details' as details from media_outbox where data->>'action' = 'redaction_policy_changed' order by id desc limit 2`,
    );
    expect(audited.map(({ details }) => details)).toEqual([
      { changed: 'masked_kinds', masked_kinds: 'default' },
      { changed: 'masked_kinds', masked_kinds: 'phone, phone' },
    ]);
  });
});

describe('a scanned transcript', () => {
  it('is shown unchanged while nothing is masked, and its version does not change', async () => {
    expect(await textsFor(run.owner)).toEqual(spoken);
    expect(((await run.readFile()) as unknown as FileDetail).transcript_version).toBe(1);
    expect(await redactionOf(run.owner)).toMatchObject({ coverage: 1, found: { name: 1, card: 1, phone: 1 } });
  });

  it('is masked for the audiences of the policy only', async () => {
    await setPolicy({ masked_kinds: ['card', 'phone'], masked_for: ['viewer', 'editor'] });
    expect(await textsFor(viewer)).toEqual([
      spoken[0],
      'the card number is [card]',
      'my number is [phone] thanks',
      spoken[3],
    ]);
    expect(await textsFor(run.owner)).toEqual(spoken);
    expect(await textsFor(newUser('admin'))).toEqual(spoken);
  });

  it('has one word without text, with the time of all, in a masked part', async () => {
    await setPolicy({ masked_kinds: ['phone'], masked_for: ['owner'] });
    const words = (await segmentsFor(run.owner))[2]?.words ?? [];
    expect(words.map(({ word }) => word)).toEqual(['my', 'number', 'is', '', 'thanks']);
    expect(words[3]).toMatchObject({ start: expect.closeTo(21.2), confidence: null });
  });

  it('is masked in every export and in the text for the search index', async () => {
    await setPolicy({ masked_kinds: ['name', 'card', 'phone'], masked_for: ['viewer', 'editor'] });
    for (const format of ['srt', 'webvtt', 'txt', 'json']) {
      const text = await (
        await media.call(viewer, 'GET', `/api/files/${run.fileId}/subtitles?subtitle_format=${format}`)
      ).text();
      expect(text).toContain('let us begin');
      expect(text).not.toMatch(/Ada|Lovelace|four|2671/);
    }
    const page = await indexer.request(mediaRpc.transcriptPage, { fileId: run.fileId, offset: 0, limit: 10 });
    expect(JSON.stringify(page)).not.toMatch(/Ada|Lovelace|four|2671/);
    expect(page.segments[3]?.text).toBe('let us begin');
  });

  it('is published again to readers and search when the policy has changed', async () => {
    await setPolicy({ masked_kinds: ['name'] });
    await waitFor(() => media.eventsOf('evt.media.transcript.edited.v1', run.fileId)[0]);
  });
});

describe('the choice of an owner', () => {
  it('masks a file for all of its readers, and never less than the policy', async () => {
    await setPolicy({ masked_kinds: ['card'] });
    const path = `/api/files/${run.fileId}/redaction`;
    expect((await media.json(viewer, 'PUT', path, { masked_kinds: [] })).status).toBe(403);
    expect(await media.json(run.owner, 'PUT', path, { masked_kinds: ['phone'] })).toMatchObject({
      status: 200,
      body: { masked_kinds: ['phone'], policy_kinds: ['card'] },
    });
    expect((await textsFor(viewer)).slice(1, 3)).toEqual(['the card number is [card]', 'my number is [phone] thanks']);
    await media.json(run.owner, 'PUT', path, { masked_kinds: [] });
    expect((await textsFor(run.owner)).slice(1, 3)).toEqual(['the card number is [card]', spoken[2]]);
  });

  it('for all files masks each of them', async () => {
    await media.json(run.owner, 'PUT', '/api/redaction', { masked_kinds: ['name'] });
    expect((await textsFor(viewer))[0]).toBe('my name is [name]');
    await waitFor(() => media.eventsOf('evt.media.transcript.edited.v1', run.fileId)[0]);
  });
});

describe('a text that was not scanned', () => {
  const forget = () =>
    media.query(
      `update transcript_segment set redaction_key = 'old:' || md5(text) where media_file_id = $1`,
      run.fileId,
    );

  it('is withheld from masked readers only', async () => {
    await setPolicy({ masked_kinds: ['secret'], masked_for: ['viewer', 'editor'] });
    await waitFor(() => media.eventsOf('evt.media.transcript.edited.v1', run.fileId)[0]);
    await scanned();
    await forget();
    expect(await textsFor(run.owner)).toEqual(spoken);
    expect(await segmentsFor(viewer)).toEqual(
      spoken.map(() => expect.objectContaining({ text: '[withheld]', words: [], withheld: true })),
    );
    const page = await indexer.request(mediaRpc.transcriptPage, { fileId: run.fileId, offset: 0, limit: 10 });
    expect(page.segments.every(({ text }) => text === '')).toBe(true);
  });

  it('is withheld after a failed scan even when the policy shows unscanned text', async () => {
    await setPolicy({ masked_kinds: ['secret'], withhold_unscanned: false });
    await waitFor(() => media.eventsOf('evt.media.transcript.edited.v1', run.fileId)[0]);
    await scanned();
    await forget();
    expect(await textsFor(viewer)).toEqual(spoken);
    await media.query(`update media_file set redaction_error = 'scan_failed' where uuid = $1`, run.fileId);
    expect((await textsFor(viewer)).every((text) => text === '[withheld]')).toBe(true);
  });

  it('is withheld by a stored policy that cannot be read', async () => {
    await media.query(`update redaction_policy set policy = '{"masked_kinds": 5}'`);
    expect((await textsFor(run.owner))[1]).toBe('the card number is [card]');
  });
});

describe('a names model of the workers', () => {
  let worker: Bus;
  const state = { model: null as string | null, fails: false };
  const name = 'begin';
  beforeAll(async () => {
    worker = await media.connectAs('transcription-worker');
    worker.serve(workerRpc.namesModel, async () => ({ model: state.model }));
    worker.serve(workerRpc.findNames, async ({ texts }) => {
      if (state.fails) throw unavailable('model_invalid', 'The text model failed');
      const rangeIn = (text: string): [number, number] => [text.indexOf(name), text.indexOf(name) + name.length];
      return { names: texts.map((text) => (text.includes(name) ? [rangeIn(text)] : [])) };
    });
    await worker.nc().flush();
  });
  beforeEach(() => setPolicy({ masked_kinds: ['name'], masked_for: ['viewer', 'editor'] }));
  const use = async (model: string | null): Promise<void> => {
    state.model = model;
    await waitFor(async () => {
      const rows = await media.query('select model from redaction_names_model');
      return ((rows[0] as { model: string | null } | undefined)?.model ?? null) === model;
    });
  };
  const removeModel = (): Promise<void> => {
    state.fails = false;
    return use(null);
  };
  const textsBecome = (...texts: string[]) =>
    waitFor(async () => JSON.stringify(await textsFor(viewer)) === JSON.stringify(texts));
  const byRules = ['my name is [name]', ...spoken.slice(1)];

  it('adds its names to those of the rules, in transcripts of before, until it is removed', async () => {
    cleanUpAfterTest(removeModel);
    await scanned();
    expect(await textsFor(viewer)).toEqual(byRules);
    await use('tiny@1');
    await textsBecome(...byRules.slice(0, 3), 'let us [name]');
    await use(null);
    await textsBecome(...byRules);
  });

  it('withholds all text while it fails, until it works again', async () => {
    cleanUpAfterTest(removeModel);
    state.fails = true;
    await use('tiny@2');
    await waitFor(async () => {
      const [row] = await media.query('select redaction_error from media_file where uuid = $1', run.fileId);
      return (row as { redaction_error: string | null }).redaction_error === 'scan_failed';
    });
    await setPolicy({ masked_kinds: ['name'], masked_for: ['viewer', 'editor'], withhold_unscanned: false });
    expect(await textsFor(viewer)).toEqual(spoken.map(() => '[withheld]'));
    state.fails = false;
    await use('tiny@3');
    await textsBecome(...byRules.slice(0, 3), 'let us [name]');
  });
});

describe('an edit of a masked passage', () => {
  const put = async (index: number, text: string) => {
    const segment = (await segmentsFor(viewer))[index];
    const path = `/api/files/${run.fileId}/transcript/segments/${segment?.uuid}`;
    return media.json<SegmentObject & { code: string }>(viewer, 'PUT', path, { text });
  };
  beforeEach(() => setPolicy({ masked_kinds: ['name', 'card', 'phone'], masked_for: ['viewer', 'editor'] }));

  it('keeps the masked text, which the editor never receives', async () => {
    const answer = await put(2, 'Call me at [phone], thanks');
    expect(answer).toMatchObject({ status: 200, body: { text: 'Call me at [phone], thanks' } });
    expect(JSON.stringify(answer.body)).not.toContain('2671');
    expect((await textsFor(run.owner))[2]).toBe('Call me at 415 555 2671, thanks');
  });

  it('does not reveal a name by removing the words that introduce it', async () => {
    expect((await put(0, '[name]')).body.text).toBe('[name]');
    expect((await textsFor(run.owner))[0]).toBe('Ada Lovelace');
    await media.query('update media_file set redaction_version = null where uuid = $1', run.fileId);
    await scanned();
    expect((await textsFor(viewer))[0]).toBe('[name]');
  });

  it('is refused when a placeholder is missing, added or another one', async () => {
    for (const text of ['thanks', 'my number is [card] thanks', '[phone] [phone]'])
      expect(await put(2, text)).toMatchObject({ status: 400, body: { code: 'masked_text_changed' } });
  });

  it('keeps masked parts masked when passages are split, merged and restored', async () => {
    const [, , one, two] = await segmentsFor(viewer);
    const fresh = randomUUID();
    const correct = async (segments: (string | undefined)[], replacement: object[]) => {
      const operations = [{ segments: segments.map((uuid) => ({ uuid })), replacement }];
      const path = `/api/files/${run.fileId}/transcript/operations`;
      const answer = await media.json(viewer, 'POST', path, { uuid: randomUUID(), operations });
      expect(JSON.stringify(answer.body)).not.toContain('2671');
      return answer.status;
    };
    const split = [
      { uuid: one?.uuid, text: 'my number is' },
      { uuid: fresh, text: '[phone] thanks' },
    ];
    expect(await correct([one?.uuid], split)).toBe(200);
    expect((await textsFor(viewer)).slice(2)).toEqual(['my number is', '[phone] thanks', 'let us begin']);
    expect((await textsFor(run.owner))[3]).toBe('415 555 2671 thanks');
    const merged = { uuid: fresh, text: '[phone] thanks let us begin' };
    expect(await correct([fresh, two?.uuid], [merged])).toBe(200);
    expect((await textsFor(run.owner))[3]).toBe('415 555 2671 thanks let us begin');
    expect(await correct([fresh], [{ uuid: fresh, text: 'thanks' }])).toBe(400);
    for (let i = 0; i < 2; i += 1) {
      const undone = await media.json(viewer, 'POST', `/api/files/${run.fileId}/transcript/undo`, {
        uuid: randomUUID(),
      });
      expect(undone.status).toBe(200);
      expect(JSON.stringify(undone.body)).not.toContain('2671');
    }
    expect((await textsFor(viewer))[2]).toBe('my number is [phone] thanks');
  });

  it('masks what the editor writes', async () => {
    expect((await put(3, 'call 415 555 2671')).body.text).toBe('call [phone]');
  });
});

describe('revealing a masked part', () => {
  it('is allowed by the policy, recorded in the audit log and not cached', async () => {
    await setPolicy({ masked_kinds: ['phone'], reveal_for: ['owner'] });
    const [redaction] = (await segmentsFor(viewer))[2]?.redactions ?? [];
    expect(redaction).toMatchObject({ kind: 'phone', start: 13, end: 20 });
    const path = `/api/files/${run.fileId}/redactions/${redaction?.uuid}/reveal`;
    expect(await media.json(viewer, 'POST', path)).toMatchObject({
      status: 403,
      body: { code: 'permission_required' },
    });
    expect((await media.json(newUser(), 'POST', path)).status).toBe(404);
    const response = await media.call(run.owner, 'POST', path);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await response.json()).toEqual({ kind: 'phone', text: '415 555 2671' });
    const event = await waitFor(() =>
      media
        .eventsOf('evt.media.action.performed.v1', run.fileId)
        .find(({ data }) => data['action'] === 'text_revealed'),
    );
    expect(JSON.stringify(event)).not.toContain('2671');
  });
});

describe('the names of speakers', () => {
  it('are masked with names, and masked in every place', async () => {
    const [speaker] = ((await run.readFile()) as unknown as FileDetail).speakers;
    await media.json(run.owner, 'PUT', `/api/speakers/${speaker?.uuid}`, { display_name: 'Begin Ning' });
    await setPolicy({ masked_kinds: ['name'], masked_for: ['viewer', 'editor'] });
    await waitFor(async () => (await textsFor(viewer))[3] === 'let us [name]' || undefined);
    const { body } = await media.json<FileDetail>(viewer, 'GET', `/api/files/${run.fileId}`);
    expect(JSON.stringify(body)).not.toMatch(/Ada|Ning/);
    expect(body.speakers[0]).toMatchObject({ name: 'SPEAKER_01', display_name: null });
  });
});
