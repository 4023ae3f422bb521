import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import {
  insightsRpc,
  mediaEvents,
  summaryEvents,
  userErasureOrdered,
  type ReplyOf,
  type SummaryObject,
  type SummaryVersion,
} from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { cleanUpAfterTest, stopAfterFile } from '@overtone/testkit/cleanup';
import { startLanguageModelServer, type ModelCall } from '@overtone/testkit/language-model';
import { speech, type Recording } from '../../test/recordings.ts';
import { answerShortly, createSummaryClient, isCombining, linesOf, nothing } from '../../test/summaries.ts';
import { newUser, startWorld } from '../../test/world.ts';

const server = await stopAfterFile(startLanguageModelServer({ contextTokens: 16_384, answer: answerShortly }));
const world = await startWorld();
const client = createSummaryClient(world);
const { recordings, order, read, status, until, useModel, path } = client;

async function made(recording: Recording, body: object = {}) {
  expect((await order(recording, { ...body })).status).toBe(202);
  await until(recording, (current) => current.status === 'completed');
  return read(recording);
}

function ended(recording: Recording) {
  return world.emit(mediaEvents.transcriptionEnded, {
    fileId: recording.fileId,
    ownerId: recording.owner.userId,
    outcome: 'completed',
    noSpeech: false,
  });
}

async function edited(recording: Recording): Promise<void> {
  recording.transcriptVersion += 1;
  const { fileId, owner, transcriptVersion } = recording;
  await world.emit(mediaEvents.transcriptEdited, { fileId, ownerId: owner.userId, transcriptVersion });
}

async function exportedSummary(fileId: string, masks: string[]): Promise<SummaryObject | null> {
  const reply = await world.nats.request(insightsRpc.summary.subject, JSON.stringify({ fileId, masks }));
  return reply.json<{ ok: ReplyOf<typeof insightsRpc.summary> }>().ok.summary;
}

async function versionsOf(recording: Recording): Promise<SummaryVersion[]> {
  const { body } = await world.call<{ items: SummaryVersion[] }>(recording.owner, 'GET', path(recording, 'summaries'));
  return body.items;
}

/** From now on the model answers at the end of the test, so that a request ends earlier only if it is stopped. */
function holdAnswers(): void {
  const { promise, resolve } = Promise.withResolvers<void>();
  cleanUpAfterTest(async () => {
    // First, so that no other summary begins when these requests end.
    await world.sql('delete from insight_summary');
    resolve();
  });
  server.answer(async (call) => {
    await promise;
    return answerShortly(call);
  });
}

afterEach(async () => {
  server.reset();
  world.vectors.areAvailable = true;
  server.answer(answerShortly);
  await world.sql('delete from insight_summary');
  await world.sql('delete from llm_provider');
  await world.sql('delete from insights_settings');
});

describe('a summary', () => {
  it('is made of passages, with the model and prompt that were used', async () => {
    await useModel(server);
    const recording = recordings.add(speech(10));
    const { body } = await order(recording, { language: 'de' });
    expect(body).toMatchObject({ file_id: recording.fileId, version: 1, provider: 'Model', model: 'scripted-model' });
    await until(recording, (current) => current.status === 'completed');
    const summary = await read(recording);
    expect(await status(recording)).toMatchObject({ sections_done: 1, sections_total: 1 });
    expect(summary).toMatchObject({
      title: 'Weekly',
      version: 1,
      state: 'completed',
      automatic: false,
      made_without_model: false,
      language: 'de',
      prompt_name: 'Any recording',
      coverage: { segments: 10, covered_segments: 10, gaps: [] },
    });
    expect(summary.summary.brief[0]?.segments).toEqual([{ uuid: recording.segments[0]!.uuid, start: 0 }]);
    expect(summary.summary.topics[0]).toMatchObject({ title: 'Talk', start: 0, end: 49 });
    expect(summary.usage.input_tokens).toBeGreaterThan(50);
    expect(server.calls[0]?.system).toContain('Write in German');
    expect(world.eventsOf(summaryEvents.changed.subject).length).toBeGreaterThanOrEqual(2);
  });

  it('is made of sentences of the transcript without a language model, and says so', async () => {
    const recording = recordings.add(
      speech(
        40,
        (i) => `The budget of project ${i % 5} is approved and Anna will send the report number ${i} on Friday.`,
      ),
    );
    const summary = await made(recording);
    expect(summary).toMatchObject({ made_without_model: true, provider: null, model: null, state: 'completed' });
    expect(summary.summary.brief.length).toBeGreaterThan(0);
    const said = new Set(recording.segments.map(({ uuid }) => uuid));
    expect(summary.summary.brief.every(({ segments }) => segments.every(({ uuid }) => said.has(uuid)))).toBe(true);
    expect(await status(recording)).toMatchObject({ llm_available: false, advice: 'nothing' });
  });

  it('without a language model uses the vectors of search, and words only while no worker has any', async () => {
    const recording = recordings.add(speech(10, (i) => `The budget of project number ${i} is approved by all of us.`));
    const withVectors = await made(recording);
    expect(world.vectors.requested).toEqual(expect.arrayContaining(recording.segments.map(({ text }) => text)));
    world.vectors.areAvailable = false;
    const withoutVectors = await made(recording, { force_regenerate: true });
    expect(withVectors.summary.brief.length).toBeGreaterThan(0);
    expect(withoutVectors).toMatchObject({ version: 2, state: 'completed' });
    expect(withoutVectors.summary.brief.length).toBeGreaterThan(0);
  });

  it('is ordered after a transcription, once for each event, unless that is switched off', async () => {
    const recording = recordings.add(speech(5));
    await ended(recording);
    await until(recording, (current) => current.status === 'completed');
    expect(await read(recording)).toMatchObject({ automatic: true, version: 1 });
    await world.call(newUser('super_admin'), 'PUT', '/api/admin/llm-settings', { automatic: false });
    const other = recordings.add(speech(5));
    await ended(other);
    await made(other);
    expect((await versionsOf(other)).map(({ automatic }) => automatic)).toEqual([false]);
  });

  it('is not ordered again while it is current, unless it is forced, and then earlier versions stay', async () => {
    const recording = recordings.add(speech(5));
    await made(recording);
    expect(await order(recording)).toMatchObject({ status: 409, body: { code: 'summary_exists' } });
    await order(recording, { force_regenerate: true });
    await until(recording, (current) => current.shown_version === 2);
    expect((await versionsOf(recording)).map(({ version }) => version)).toEqual([2, 1]);
    expect(await read(recording, '?version=1')).toMatchObject({ version: 1 });
  });

  it('is written by one request at a time, however often it is ordered', async () => {
    const recording = recordings.add(speech(5));
    const replies = await Promise.all([1, 2, 3, 4].map(() => order(recording)));
    expect(new Set(replies.map(({ body }) => body['task_id'])).size).toBe(1);
    await until(recording, (current) => current.status === 'completed');
    expect(await versionsOf(recording)).toHaveLength(1);
  });

  it('in progress is not returned for an order with another prompt or language', async () => {
    await useModel(server);
    const recording = recordings.add(speech(5));
    const [first, other] = [await order(recording, { language: 'de' }), await order(recording, { language: 'en' })];
    expect([first.status, other]).toMatchObject([202, { status: 409, body: { code: 'summary_in_progress' } }]);
    await until(recording, (current) => current.status === 'completed');
    expect(await made(recording, { language: 'en', force_regenerate: true })).toMatchObject({ language: 'en' });
  });

  it('needs a transcript', async () => {
    const recording = recordings.add([], { transcriptVersion: 0 });
    expect(await order(recording)).toMatchObject({ status: 409, body: { code: 'transcript_missing' } });
    expect(await status(recording)).toMatchObject({ status: 'none', advice: 'create', shown_version: null });
  });

  it('is deleted, one version or all', async () => {
    const recording = recordings.add(speech(5));
    await made(recording);
    await order(recording, { force_regenerate: true });
    await until(recording, (current) => current.shown_version === 2);
    const remove = (query: string) => world.call(recording.owner, 'DELETE', path(recording, `summary${query}`));
    expect((await remove('?version=2')).status).toBe(204);
    expect(await status(recording)).toMatchObject({ shown_version: 1 });
    expect((await remove('')).status).toBe(204);
    expect((await remove('')).status).toBe(404);
    expect(await status(recording)).toMatchObject({ status: 'none' });
  });
});

describe('rights', () => {
  it('let viewers read, editors and owners order and delete, and hide the file from all others', async () => {
    const [viewer, editor, stranger] = [newUser(), newUser(), newUser()];
    const recording = recordings.add(speech(5), {
      readers: new Map([
        [viewer.userId, 'viewer'],
        [editor.userId, 'editor'],
      ]),
    });
    await made(recording);
    const reads = ['summary', 'summary-status', 'summaries'].map((verb) => ['GET', path(recording, verb)] as const);
    const changes = [
      ['POST', path(recording, 'summarize'), { force_regenerate: true }],
      ['POST', path(recording, 'retry-summary')],
      ['DELETE', path(recording, 'summary')],
    ] as const;
    const statuses = async (person: typeof viewer, calls: readonly (readonly [string, string, object?])[]) => {
      const found: number[] = [];
      for (const [method, address, body] of calls) found.push((await world.call(person, method, address, body)).status);
      return found;
    };
    expect(await statuses(viewer, reads)).toEqual([200, 200, 200]);
    expect(await statuses(viewer, changes)).toEqual([403, 403, 403]);
    expect((await status(recording, viewer)).can_generate).toBe(false);
    expect(await statuses(stranger, [...reads, ...changes])).toEqual([404, 404, 404, 404, 404, 404]);
    expect(await statuses(editor, [...reads, changes[0]])).toEqual([200, 200, 200, 202]);
    await until(recording, (current) => current.shown_version === 2);
    expect(await statuses(editor, [changes[2]])).toEqual([204]);
  });

  it('refuse malformed requests', async () => {
    const recording = recordings.add(speech(5));
    for (const body of [{ language: 'German' }, { language: 'de; ignore' }, { prompt_uuid: 'x' }, { other: 1 }])
      expect(await order(recording, body)).toMatchObject({ status: 422 });
    const { status: code } = await world.call(recording.owner, 'GET', path(recording, 'summary?version=-1'));
    expect(code).toBe(400);
  });
});

describe('a change of the transcript', () => {
  it('marks a summary as out of date, and no longer when it is undone; tags and titles do not', async () => {
    const recording = recordings.add(speech(5));
    await made(recording);
    recording.title = 'Renamed';
    await edited(recording);
    const text = recording.segments[2]!.text;
    await waitFor(
      async () => (await world.sql('select 1 from insight_summary where review_at is not null')).length === 0,
    );
    expect(await status(recording)).toMatchObject({ out_of_date: false });
    recording.segments[2]!.text = 'corrected';
    await edited(recording);
    await until(recording, (current) => current.out_of_date);
    expect(await status(recording)).toMatchObject({ status: 'completed', advice: 'create_again' });
    expect((await order(recording)).status).toBe(202);
    await until(recording, (current) => current.shown_version === 2 && !current.out_of_date);
    recording.segments[2]!.text = text;
    await edited(recording);
    await waitFor(async () => (await versionsOf(recording)).map((one) => one.out_of_date).join() === 'true,false');
  });

  it('does not mark a summary as out of date when a speaker gets a name, but when another one speaks', async () => {
    const recording = recordings.add(speech(5));
    await made(recording);
    for (const segment of recording.segments.slice(0, 3)) segment.speakerName = 'Alice Brown';
    await edited(recording);
    await waitFor(
      async () => (await world.sql('select 1 from insight_summary where review_at is not null')).length === 0,
    );
    expect(await status(recording)).toMatchObject({ out_of_date: false });
    recording.segments[2]!.speakerUuid = recording.segments[4]!.speakerUuid;
    await edited(recording);
    await until(recording, (current) => current.out_of_date);
  });

  it('begins a summary in progress again with a new transcript', async () => {
    await useModel(server);
    const recording = recordings.add(speech(5));
    server.answer(async (call) => {
      if (call.prompt.includes('passage number')) await waitFor(() => call.aborted);
      return answerShortly(call);
    });
    await order(recording);
    await waitFor(() => server.calls.length === 1);
    recording.segments = speech(4, (i) => `replaced text ${i}`);
    await ended(recording);
    await until(recording, (current) => current.status === 'completed');
    expect((await read(recording)).summary.brief[0]?.text).toContain('replaced text 0');
    await waitFor(() => server.calls[0]?.aborted);
  });
});

describe('masks', () => {
  it('hide a summary when more is masked, and show it again when nothing of it was concerned', async () => {
    const recording = recordings.add(speech(5));
    await made(recording);
    const tighten = () =>
      world.emit(mediaEvents.masksTightened, { ownerId: recording.owner.userId, fileId: recording.fileId });
    recording.withheld = true;
    await tighten();
    await until(recording, (current) => current.withheld);
    const hidden = await world.call(recording.owner, 'GET', path(recording, 'summary'));
    expect(hidden).toMatchObject({ status: 409, body: { code: 'summary_withheld' } });
    expect(await status(recording)).toMatchObject({ advice: 'create_again' });
    recording.withheld = false;
    await edited(recording);
    await until(recording, (current) => !current.withheld);
    expect((await read(recording)).summary.brief.length).toBeGreaterThanOrEqual(0);
  });

  it('hide a summary as soon as more is masked, before the event arrives, until the transcript was compared', async () => {
    const recording = recordings.add(speech(5), { masks: ['name'] });
    await made(recording);
    recording.masks = ['name', 'phone'];
    const hidden = await world.call(recording.owner, 'GET', path(recording, 'summary'));
    expect(hidden).toMatchObject({ status: 409, body: { code: 'summary_withheld' } });
    expect(await status(recording)).toMatchObject({ withheld: true, advice: 'create_again' });
    expect(await versionsOf(recording)).toMatchObject([{ withheld: true }]);
    const exported = (masks: string[]) => exportedSummary(recording.fileId, masks);
    expect([await exported(['phone']), (await exported([]))?.version]).toEqual([null, 1]);
    await edited(recording);
    await until(recording, (current) => !current.withheld);
    expect(await read(recording)).toMatchObject({ version: 1, out_of_date: false });
  });

  it('remove a summary of text that is masked now when it is compared before the event arrives', async () => {
    const recording = recordings.add(speech(5, (i) => `the secret is marzipan${i}`));
    await made(recording);
    for (const segment of recording.segments) segment.text = 'the secret is [secret]';
    recording.masks = ['secret'];
    await edited(recording);
    await until(recording, (current) => current.withheld && current.out_of_date);
    recording.masks = [];
    const rows = await world.sql('select content from insight_summary where media_file_id = $1', [recording.fileId]);
    expect(rows).toEqual([{ content: null }]);
  });

  it('do not hide a summary of the previous release, whose masks are stored when it is compared', async () => {
    const recording = recordings.add(speech(5), { masks: ['phone'] });
    await made(recording);
    await world.sql('update insight_summary set masks = null');
    expect((await read(recording)).withheld).toBe(false);
    await waitFor(async () => (await world.sql('select 1 from insight_summary where masks = \'["phone"]\''))[0]);
    recording.masks = ['name', 'phone'];
    expect(await status(recording)).toMatchObject({ withheld: true });
  });

  it('remove a summary that was made of text which is masked now', async () => {
    const recording = recordings.add(speech(5, (i) => `the secret is marzipan${i} and it was decided today`));
    await made(recording);
    for (const segment of recording.segments) segment.text = 'the secret is [secret]';
    await world.emit(mediaEvents.masksTightened, { ownerId: null, fileId: null });
    const stored = () =>
      world.sql<{ row: string }>('select insight_summary::text as row from insight_summary where media_file_id = $1', [
        recording.fileId,
      ]);
    await waitFor(async () => !(await stored())[0]!.row.includes('marzipan'));
    expect(await status(recording)).toMatchObject({ withheld: true, out_of_date: true });
    expect((await order(recording)).status).toBe(202);
    await until(recording, (current) => current.shown_version === 2 && !current.withheld);
  });

  it('end a request that was made of text which is masked now, and nothing of it is stored', async () => {
    await useModel(server);
    const recording = recordings.add(speech(5, (i) => `the secret is marzipan${i}`));
    server.answer(async (call) => {
      if (call.prompt.includes('marzipan')) await waitFor(() => call.aborted);
      return answerShortly(call);
    });
    await order(recording);
    await waitFor(() => server.calls.length === 1);
    for (const segment of recording.segments) segment.text = 'the secret is [secret]';
    await world.emit(mediaEvents.masksTightened, { ownerId: recording.owner.userId, fileId: null });
    await until(recording, (current) => current.status === 'completed');
    await waitFor(() => server.calls[0]?.aborted);
    expect(JSON.stringify(await read(recording))).not.toContain('marzipan');
  });

  it('send nothing of a transcript that was not scanned', async () => {
    await useModel(server);
    const recording = recordings.add(speech(5), { withheld: true });
    await order(recording);
    await until(recording, (current) => current.reason === 'transcript_withheld');
    expect(await status(recording)).toMatchObject({ status: 'waiting', advice: 'wait' });
    expect(server.calls).toEqual([]);
  });
});

describe('the end of a file', () => {
  it('removes its summaries, and stops one in progress', async () => {
    await useModel(server);
    const recording = recordings.add(speech(5));
    await made(recording);
    holdAnswers();
    await order(recording, { force_regenerate: true });
    await waitFor(() => server.calls.length === 2);
    recordings.remove(recording.fileId);
    await world.emit(mediaEvents.deleted, { fileId: recording.fileId, ownerId: recording.owner.userId });
    await waitFor(() => server.calls[1]?.aborted === true);
    const rows = await world.sql('select 1 from insight_summary where media_file_id = $1', [recording.fileId]);
    expect(rows).toEqual([]);
  });

  it('in the bin stops what is in progress and hides the rest', async () => {
    await useModel(server);
    const recording = recordings.add(speech(5));
    await made(recording);
    holdAnswers();
    await order(recording, { force_regenerate: true });
    await waitFor(() => server.calls.length === 2);
    recording.inBin = true;
    await world.emit(mediaEvents.binned, { fileId: recording.fileId, ownerId: recording.owner.userId });
    await waitFor(() => server.calls[1]?.aborted === true);
    expect((await world.call(recording.owner, 'GET', path(recording, 'summary'))).status).toBe(404);
    recording.inBin = false;
    expect(await read(recording)).toMatchObject({ version: 1 });
  });

  it('comes with the erasure of its owner, who is also no longer named as the one who ordered others', async () => {
    const editor = newUser();
    const recording = recordings.add(speech(5), { readers: new Map([[editor.userId, 'editor']]) });
    await order(recording, {}, editor);
    await until(recording, (current) => current.status === 'completed');
    const erase = (userId: string) => world.emit(userErasureOrdered, { erasureId: randomUUID(), round: 1, userId });
    const rows = () =>
      world.sql<{ ordered_by: string | null }>('select ordered_by from insight_summary where media_file_id = $1', [
        recording.fileId,
      ]);
    expect((await rows())[0]?.ordered_by).toBe(editor.userId);
    await erase(editor.userId);
    await waitFor(async () => (await rows())[0]?.ordered_by === null);
    await erase(recording.owner.userId);
    await waitFor(async () => (await rows()).length === 0);
  });
});

describe('a slow language model of one person', () => {
  it('delays the summaries of that person only', async () => {
    holdAnswers();
    const owner = newUser();
    await useModel(server, {}, owner);
    const slow = Array.from({ length: 6 }, () => recordings.add(speech(5), { owner }));
    for (const recording of slow) await order(recording);
    await waitFor(() => server.calls.length >= 2);
    await made(recordings.add(speech(5)));
    const states = await world.sql<{ state: string }>('select state from insight_summary where owner_id = $1', [
      owner.userId,
    ]);
    expect(states.filter(({ state }) => state === 'processing')).toHaveLength(2);
    expect(states.filter(({ state }) => state === 'waiting')).toHaveLength(4);
  });
});

describe('a language model that fails', () => {
  it('leaves the earlier summary, and says why and what to do', async () => {
    const recording = recordings.add(speech(5));
    await made(recording);
    await useModel(server);
    for (const [statusCode, reason, advice] of [
      [401, 'provider_refused_key', 'check_provider'],
      [404, 'provider_model_unknown', 'check_provider'],
    ] as const) {
      server.answer(() => ({ reaction: 'refuse', status: statusCode }));
      await order(recording, { force_regenerate: true });
      const failed = await until(recording, (current) => current.status === 'failed' && current.reason === reason);
      expect(failed).toMatchObject({ advice, shown_version: 1, can_retry: true });
    }
    server.answer(answerShortly);
    expect((await world.call(recording.owner, 'POST', path(recording, 'retry-summary'))).status).toBe(202);
    await until(recording, (current) => current.status === 'completed');
    expect(await read(recording)).toMatchObject({ version: 3, made_without_model: false });
    const again = await world.call(recording.owner, 'POST', path(recording, 'retry-summary'));
    expect(again).toMatchObject({ status: 409, body: { code: 'summary_not_failed' } });
  });

  it('is asked again later while it is down, and the time is shown', async () => {
    await useModel(server);
    const recording = recordings.add(speech(5));
    server.answer(() => ({ reaction: 'disconnect' }));
    await order(recording);
    const waiting = await until(recording, (current) => current.reason !== null);
    expect(waiting).toMatchObject({ status: 'waiting', reason: 'provider_unreachable', advice: 'wait' });
    expect(Date.parse(waiting.retry_at ?? '')).toBeGreaterThan(Date.now());
  });

  it('does not delay a summary any more when another one is used instead', async () => {
    await useModel(server);
    const recording = recordings.add(speech(5));
    server.answer(() => ({ reaction: 'disconnect' }));
    await order(recording);
    await until(recording, (current) => current.reason !== null);
    await world.sql(`update insight_summary set due_at = now() + interval '1 hour', failures = 5`);
    server.answer(answerShortly);
    await useModel(server, { name: 'Another' });
    const another = await world.sql<{ uuid: string }>(`select uuid from llm_provider where name = 'Another'`);
    const activation = { configuration_id: another[0]?.uuid };
    await world.call(newUser('super_admin'), 'POST', '/api/admin/llm-settings/set-active', activation);
    await until(recording, (current) => current.status === 'completed');
  });

  it('and a prompt that leaves no room for a transcript are reported', async () => {
    await useModel(server, { context_tokens: 2_048 });
    const recording = recordings.add(speech(5));
    const { body } = await world.call<{ uuid: string }>(recording.owner, 'POST', '/api/prompts', {
      name: 'Long',
      text: 'Name every risk. '.repeat(800),
      content_type: 'general',
    });
    await order(recording, { prompt_uuid: body.uuid });
    const failed = await until(recording, (current) => current.status === 'failed');
    expect(failed).toMatchObject({ reason: 'summary_prompt_too_long', advice: 'choose_larger_model' });
    expect(server.calls).toEqual([]);
  });

  it('costs one retry when its answer is broken, not the summary', async () => {
    await useModel(server);
    const recording = recordings.add(speech(5));
    server.script({ reaction: 'broken-json' });
    await made(recording);
    expect(server.calls).toHaveLength(2);
  });

  it('leaves out a part of the recording, and the summary says which', async () => {
    await useModel(server, { context_tokens: 4_096 });
    const recording = recordings.add(speech(300));
    server.answer((call) =>
      linesOf(call).some(({ number }) => number === 150) && !call.system.includes('numbered notes')
        ? 'no JSON at all'
        : answerShortly(call),
    );
    await order(recording);
    await until(recording, (current) => current.status === 'partial');
    const { coverage } = await read(recording);
    expect(coverage.gaps).toHaveLength(1);
    expect(coverage.gaps[0]).toMatchObject({ reason: 'provider_answer_invalid' });
    const missing = recording.segments.filter(
      ({ start, end }) => start >= coverage.gaps[0]!.start && end <= coverage.gaps[0]!.end,
    );
    expect(missing).toHaveLength(coverage.gaps[0]!.segments);
    expect(missing).toContain(recording.segments[150]);
    expect(coverage.covered_segments).toBe(300 - missing.length);
    // A retry asks for the missing part only, and for the combination.
    server.reset();
    server.answer(answerShortly);
    await world.call(recording.owner, 'POST', path(recording, 'retry-summary'));
    await until(recording, (current) => current.status === 'completed');
    expect(server.calls).toHaveLength(2);
    expect((await read(recording)).coverage.gaps).toEqual([]);
  });

  it('leaves a complete summary shown when a newer one is incomplete, which can be read as well', async () => {
    await useModel(server, { context_tokens: 4_096 });
    const recording = recordings.add(speech(300));
    const complete = await made(recording);
    server.answer((call) =>
      linesOf(call).some(({ number }) => number === 150) && !isCombining(call) ? 'no JSON at all' : answerShortly(call),
    );
    await order(recording, { force_regenerate: true });
    const current = await until(recording, ({ status: state }) => state === 'partial');
    expect(current).toMatchObject({ version: 2, shown_version: 1, can_retry: true });
    expect(await read(recording)).toEqual(complete);
    expect(await read(recording, '?version=2')).toMatchObject({ state: 'partial' });
    expect((await exportedSummary(recording.fileId, []))?.version).toBe(1);
  });

  it.each([
    ['while it is repeated', { reaction: 'stall', text: '{"brief', characters: 5 }, 'processing'],
    ['when the repetition fails', { reaction: 'refuse', status: 401 }, 'failed'],
    ['when the repetition leaves out the same part', 'still no JSON', 'partial'],
  ] as const)('leaves an incomplete summary shown %s', async (_, answer, wanted) => {
    await useModel(server, { context_tokens: 4_096 });
    const recording = recordings.add(speech(300));
    const isMissing = (call: ModelCall): boolean =>
      linesOf(call).some(({ number }) => number === 150) && !isCombining(call);
    server.answer((call) => (isMissing(call) ? 'no JSON at all' : answerShortly(call)));
    await order(recording);
    await until(recording, (current) => current.status === 'partial');
    const before = await read(recording);
    server.reset();
    server.answer((call) => (isMissing(call) ? answer : answerShortly(call)));
    await world.call(recording.owner, 'POST', path(recording, 'retry-summary'));
    await until(recording, ({ status, version }) => status === wanted && version === 2);
    await waitFor(() => server.calls.length > 0);
    expect(await read(recording, '?version=1')).toEqual(before);
    expect((await read(recording)).summary).toEqual(before.summary);
    // Only what is missing was requested, and the combination where it differs.
    expect(server.calls.filter((call) => !isCombining(call)).every(isMissing)).toBe(true);
    await world.call(recording.owner, 'DELETE', path(recording, 'summary'));
  });

  it('shows the answer while it is written', async () => {
    await useModel(server);
    const drafts: string[] = [];
    world.nats.subscribe('live.insights.summary', {
      callback: (_, message) => void drafts.push(message.json<{ draft: string }>().draft),
    });
    await world.nats.flush();
    const recording = recordings.add(speech(5));
    const text = JSON.stringify({ ...nothing, brief: [{ text: 'A long sentence. '.repeat(30), n: [0] }] });
    server.answer(() => ({ reaction: 'answer', text, pieceMs: 60 }));
    await made(recording);
    const longest = drafts.toSorted((left, right) => right.length - left.length)[0]!;
    expect(new Set(drafts).size).toBeGreaterThan(2);
    expect('A long sentence. '.repeat(30)).toContain(longest.slice(0, 100));
  });
});
