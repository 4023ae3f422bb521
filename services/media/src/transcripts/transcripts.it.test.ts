import { beforeEach, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { insightsRpc, type FileDetail, type ReplyOf, type SegmentObject } from '@overtone/contracts';
import type { z } from 'zod';
import type { speakerObject } from '@overtone/contracts';
import { transcribed, type Run } from '../../test/runs.ts';
import { newUser, startMedia, waitFor } from '../../test/start-media.ts';

type Speaker = z.infer<typeof speakerObject>;
let run: Run;
let file: FileDetail;
const media = await startMedia();
beforeEach(async () => {
  run = await transcribed(media);
  file = (await run.readFile()) as unknown as FileDetail;
});

function segmentPath(index = 0): string {
  return `/api/files/${run.fileId}/transcript/segments/${file.transcript_segments[index]?.uuid}`;
}

function edit(body: object, index = 0) {
  return media.json<SegmentObject & { code: string }>(run.owner, 'PUT', segmentPath(index), body);
}

async function now() {
  return (await run.readFile()) as unknown as FileDetail;
}

describe('a segment', () => {
  it('is edited: unchanged words keep times and confidence, and an event is published', async () => {
    const answer = await edit({ text: 'Good evening everybody', version: 1 });
    expect(answer).toMatchObject({ status: 200, body: { text: 'Good evening everybody', edited: true, version: 2 } });
    expect(answer.body.words).toEqual([
      { word: 'Good', start: 0, end: 0.4, confidence: null },
      { word: 'evening', start: 0.4, end: 0.8, confidence: null },
      { word: 'everybody', start: 0.8, end: expect.closeTo(1.2), confidence: 0.8 },
    ]);
    const event = await waitFor(() => media.eventsOf('evt.media.transcript.edited.v1', run.fileId)[0]);
    const owner = run.owner.userId;
    expect(event.data).toEqual({ fileId: run.fileId, ownerId: owner, transcriptVersion: 2, editedBy: owner });
    expect((await now()).transcript_version).toBe(2);
  });

  it('rejects an edit of an outdated version', async () => {
    const both = await Promise.all([edit({ text: 'first', version: 1 }), edit({ text: 'second', version: 1 })]);
    expect(both.map(({ status }) => status).sort((left, right) => left - right)).toEqual([200, 409]);
    expect(both.find(({ status }) => status === 409)?.body).toMatchObject({ code: 'stale_version', version: 2 });
    expect((await edit({ text: 'third', version: 2 })).status).toBe(200);
  });

  it('is not changed by an edit without a difference', async () => {
    expect((await edit({ text: 'good morning everybody' })).body).toMatchObject({ edited: false, version: 1 });
    expect((await now()).transcript_version).toBe(1);
  });

  it('is assigned only to speakers of its own file', async () => {
    const [first, second] = file.speakers;
    const path = `/api/transcripts/segments/${file.transcript_segments[0]?.uuid}/speaker`;
    const given = await media.json<SegmentObject>(run.owner, 'PUT', path, { speaker_uuid: second?.uuid });
    expect(given.body.speaker).toMatchObject({ uuid: second?.uuid });
    expect((await edit({ speaker_uuid: null })).body.speaker).toBeNull();
    expect((await edit({ speaker_uuid: first?.uuid })).body).toMatchObject({
      speaker: { name: 'SPEAKER_01' },
      version: 4,
    });
    const other = (await (await transcribed(media, run.owner)).readFile()) as unknown as FileDetail;
    for (const stranger of [other.speakers[0]?.uuid, randomUUID()]) {
      expect(await edit({ speaker_uuid: stranger })).toMatchObject({ status: 400, body: { code: 'speaker_mismatch' } });
    }
    expect((await media.json(newUser(), 'PUT', path, { speaker_uuid: null })).status).toBe(404);
  });

  it('is not found under another file or for another user', async () => {
    const elsewhere = `/api/files/${randomUUID()}/transcript/segments/${file.transcript_segments[0]?.uuid}`;
    expect((await media.json(run.owner, 'PUT', elsewhere, { text: 'x' })).status).toBe(404);
    expect((await media.json(newUser(), 'PUT', segmentPath(), { text: 'x' })).status).toBe(404);
    expect(await edit({ text: 'a\0b' })).toMatchObject({ status: 422, body: { code: 'invalid_body' } });
    expect((await edit({ text: 'x'.repeat(20_001) })).status).toBe(422);
  });
});

describe('speakers', () => {
  const put = (id: string | undefined, body: object) =>
    media.json<Speaker>(run.owner, 'PUT', `/api/speakers/${id}`, body);

  it('are named, and the name is removed again', async () => {
    const id = file.speakers[0]?.uuid;
    expect(await put(id, { display_name: ' Ada ' })).toMatchObject({
      status: 200,
      body: { name: 'SPEAKER_01', display_name: 'Ada' },
    });
    expect((await now()).transcript_segments[0]?.speaker).toMatchObject({ display_name: 'Ada' });
    await waitFor(() => media.eventsOf('evt.media.transcript.edited.v1', run.fileId)[0]);
    expect((await put(id, { display_name: '' })).body.display_name).toBeNull();
    expect((await media.json(newUser(), 'PUT', `/api/speakers/${id}`, { display_name: 'x' })).status).toBe(404);
  });

  it('are created with the next label', async () => {
    const path = `/api/speakers?media_file_uuid=${run.fileId}`;
    const added = await media.json<Speaker>(run.owner, 'POST', path, { display_name: 'Grace' });
    expect(added).toMatchObject({ status: 201, body: { name: 'SPEAKER_03', display_name: 'Grace', talk_time: 0 } });
    const listed = await media.json<Speaker[]>(run.owner, 'GET', `/api/speakers?file_uuid=${run.fileId}`);
    expect(listed.body.map(({ name }) => name)).toEqual(['SPEAKER_01', 'SPEAKER_02', 'SPEAKER_03']);
    expect((await media.json(newUser(), 'POST', path, { display_name: 'x' })).status).toBe(404);
  });

  it('are merged into one', async () => {
    const [first, second] = file.speakers;
    const merged = await media.json<Speaker>(run.owner, 'POST', `/api/speakers/${second?.uuid}/merge/${first?.uuid}`);
    expect(merged).toMatchObject({ status: 200, body: { uuid: first?.uuid, talk_time: 3.6 } });
    const after = await now();
    expect(after.speakers).toHaveLength(1);
    expect(after.transcript_segments.every(({ speaker }) => speaker?.uuid === first?.uuid)).toBe(true);
  });

  it('are found or not found by concurrent requests that remove, merge and rename them, never an internal error', async () => {
    for (let round = 0; round < 5; round += 1) {
      const other = await transcribed(media, run.owner);
      const [first, second] = ((await other.readFile()) as unknown as FileDetail).speakers;
      const path = `/api/speakers/${second?.uuid}`;
      const responses = await Promise.all([
        media.json(run.owner, 'POST', `${path}/merge/${first?.uuid}`),
        media.json(run.owner, 'DELETE', path),
        media.json(run.owner, 'PUT', path, { display_name: 'Ada' }),
        media.json(run.owner, 'POST', `${path}/merge/${first?.uuid}`),
        media.json(run.owner, 'DELETE', path),
        media.json(run.owner, 'PUT', path, { display_name: 'Grace' }),
      ]);
      const removals = [0, 1, 3, 4].filter((at) => responses[at]?.status === 200);
      expect(removals).toHaveLength(1);
      expect(responses.map(({ status }) => status).filter((status) => status !== 200 && status !== 404)).toEqual([]);
    }
  });

  it('are not merged with themselves, across files, or by other users', async () => {
    const id = file.speakers[0]?.uuid;
    const other = ((await (await transcribed(media, run.owner)).readFile()) as unknown as FileDetail).speakers[0]?.uuid;
    const foreign = ((await (await transcribed(media)).readFile()) as unknown as FileDetail).speakers[0]?.uuid;
    const merge = (target: string | undefined, person = run.owner) =>
      media.json(person, 'POST', `/api/speakers/${id}/merge/${target}`);
    expect(await merge(id)).toMatchObject({ status: 400, body: { code: 'speaker_mismatch' } });
    expect(await merge(other)).toMatchObject({ status: 400, body: { code: 'speaker_mismatch' } });
    expect((await merge(foreign)).status).toBe(404);
    expect((await merge(file.speakers[1]?.uuid, newUser())).status).toBe(404);
  });
});

describe('a transcript export', () => {
  it.each([
    ['srt', 'application/x-subrip', /^1\n00:00:00,000 --> 00:00:01,650\nSpeaker 1: good morning everybody\n\n2\n/],
    ['webvtt', 'text/vtt', /^WEBVTT\n\n00:00:00\.000 --> 00:00:01\.200\n<v Speaker 1>good morning everybody\n/],
    ['txt', 'text/plain', /^Speaker 1 \[00:00:00\]\ngood morning everybody\n/],
    ['json', 'application/json', /"text":"hello and welcome"/],
  ])('is written as %s', async (format, type, beginning) => {
    const answer = await media.call(run.owner, 'GET', `/api/files/${run.fileId}/subtitles?subtitle_format=${format}`);
    expect(answer.headers.get('content-type')).toContain(type);
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="talk\./);
    expect(await answer.text()).toMatch(beginning);
  });

  it('has cues that ffprobe reads with the times of the passages', async () => {
    const { transcript_segments: said } = (
      await media.json<{ transcript_segments: { start_time: number }[] }>(run.owner, 'GET', `/api/files/${run.fileId}`)
    ).body;
    const folder = await mkdtemp(join(tmpdir(), 'captions-'));
    for (const format of ['srt', 'webvtt']) {
      const path = `/api/files/${run.fileId}/export?cues=passages&format=${format}`;
      const file = join(folder, format);
      await writeFile(file, await (await media.call(run.owner, 'GET', path)).text());
      const { stdout } = await promisify(execFile)('ffprobe', ['-v', 'error', '-show_packets', '-of', 'json', file]);
      const { packets } = JSON.parse(stdout) as { packets: { pts_time: string }[] };
      expect(packets.map(({ pts_time: time }) => Number(time))).toEqual(said.map(({ start_time: start }) => start));
    }
    await rm(folder, { recursive: true });
  });

  it('is checked by the rules of subtitles, and keeps them once it flows', async () => {
    const path = `/api/files/${run.fileId}/subtitles/validate`;
    const repaired = await media.json(run.owner, 'GET', path);
    expect(repaired.body).toMatchObject({ is_valid: true, total_issues: 0, issues: [] });
    expect((await media.json(run.owner, 'GET', `${path}?cues=passages`)).body).toMatchObject({ cues: 3 });
    expect((await media.json(newUser(), 'GET', path)).status).toBe(404);
  });

  it('begins with the summary on request, where there is one, and SRT refuses it', async () => {
    const path = `/api/files/${run.fileId}/subtitles?include_summary=true&subtitle_format=`;
    const statement = { text: 'We began.', segments: [{ uuid: run.fileId, start: 0 }] };
    const summary = {
      file_id: run.fileId,
      title: '',
      version: 1,
      state: 'completed',
      automatic: true,
      made_without_model: false,
      provider: 'p',
      model: 'm',
      prompt_uuid: null,
      prompt_name: null,
      language: null,
      out_of_date: false,
      withheld: false,
      error_code: null,
      created_at: '2026-01-01T00:00:00Z',
      finished_at: null,
      summary: { brief: [statement], key_decisions: [], action_items: [], topics: [], follow_ups: [] },
      coverage: { segments: 3, covered_segments: 3, gaps: [] },
      usage: { input_tokens: 1, output_tokens: 1, duration_ms: 1 },
    };
    expect((await media.json(run.owner, 'GET', `${path}txt`)).status).toBe(503);
    const answers = [{ summary }, { summary: null }];
    const insights = await media.connectAs('insights');
    insights.serve(insightsRpc.summary, async () => answers.shift() as ReplyOf<typeof insightsRpc.summary>);
    await insights.nc().flush();
    const exported = async () => (await media.call(run.owner, 'GET', `${path}txt`)).text();
    expect(await exported()).toMatch(/^Summary:\n- We began\.\n\nSpeaker 1 \[00:00:00\]/);
    expect(await exported()).toMatch(/^Speaker 1 \[00:00:00\]/);
    expect((await media.json(run.owner, 'GET', `${path}srt`)).status).toBe(400);
  });

  it('omits the speakers on request', async () => {
    const path = `/api/files/${run.fileId}/subtitles?include_speakers=false&subtitle_format=`;
    for (const format of ['srt', 'webvtt', 'txt', 'json']) {
      expect(await (await media.call(run.owner, 'GET', path + format)).text()).not.toMatch(/speaker[ _]\d/i);
    }
    expect((await media.json(run.owner, 'GET', `${path}docx`)).status).toBe(400);
  });
});
