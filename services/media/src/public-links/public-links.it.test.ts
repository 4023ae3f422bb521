import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import {
  identityEvents,
  insightsRpc,
  redactionAudiences,
  userErasureOrdered,
  type PublicLink,
  type PublicSegment,
  type PublicView,
  type SummaryObject,
} from '@overtone/contracts';
import { transcribed, twoVoices, type Run } from '../../test/runs.ts';
import { newUser, problemOf, startMedia, waitFor, type TestUser } from '../../test/start-media.ts';

const media = await startMedia();
const boss = newUser('super_admin');
const noLink = { status: 404, code: 'not_found', detail: 'This link does not exist or has ended.' };
const password = 'porcupine umbrella';

type Created = PublicLink & { token: string };
type Wish = { parts?: string[]; password?: string; hours?: number };

function inHours(hours: number): string {
  return new Date(Date.now() + hours * 3_600_000).toISOString();
}

function setLinks(changes: object) {
  return media.json<{ active_links: number }>(boss, 'PUT', '/api/admin/public-links', changes);
}

async function create(run: Run, { parts = ['text'], hours = 1, ...wish }: Wish = {}, person = run.owner) {
  const body = { parts, expires_at: inHours(hours), ...wish };
  return media.json<Created>(person, 'POST', `/api/files/${run.fileId}/public-links`, body);
}

function post(path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return media.call(null, 'POST', `/api/public/links/${path}`, { body: JSON.stringify(body), headers });
}

/** What a browser keeps of the answer. */
function cookieOf(response: Response): string {
  return response.headers.get('set-cookie')?.split(';')[0] ?? '';
}

type Opened = { view: PublicView; cookie: string; response: Response };
async function open({ token }: { token: string }, withPassword?: string): Promise<Opened> {
  const response =
    withPassword === undefined
      ? await post('open', { token })
      : await post('unlock', { token, password: withPassword });
  expect(response.status).toBe(200);
  const body = (await response.json()) as { view: PublicView } & PublicView;
  return { view: withPassword === undefined ? body.view : body, cookie: cookieOf(response), response };
}

function get({ view, cookie }: Pick<Opened, 'view' | 'cookie'>, part: string, headers = {}): Promise<Response> {
  return media.call(null, 'GET', `/api/public/links/${view.uuid}${part}`, { headers: { cookie, ...headers } });
}

async function linkOf(run: Run, uuid: string): Promise<PublicLink | undefined> {
  const { body } = await media.json<{ links: PublicLink[] }>(run.owner, 'GET', `/api/files/${run.fileId}/public-links`);
  return body.links.find((link) => link.uuid === uuid);
}

/** Every public answer about the link is the one about unknown links. */
async function expectNoLink(token: string, opened: Pick<Opened, 'view' | 'cookie'>): Promise<void> {
  const unknown = await (await post('open', { token: 'unknown' })).json();
  expect(unknown).toMatchObject(noLink);
  const answers = [
    await post('open', { token }),
    await post('unlock', { token, password }),
    ...(await Promise.all(['', '/segments', '/summary', '/recording'].map((part) => get(opened, part)))),
  ];
  for (const answer of answers) {
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect({ ...((await answer.json()) as object), request_id: '' }).toEqual({
      ...(unknown as object),
      request_id: '',
    });
  }
}

beforeAll(async () => {
  expect((await setLinks({ enabled: true })).status).toBe(200);
});

describe('public links', () => {
  it('show what was chosen to people without an account, and nothing else', async () => {
    const run = await transcribed(media);
    const { status, body } = await create(run, { parts: ['text', 'recording'] });
    expect(status).toBe(201);
    const opened = await open(body);
    expect(opened.view).toMatchObject({
      uuid: body.uuid,
      parts: ['text', 'recording'],
      recording: 'ready',
      duration: 7.5,
    });
    expect(opened.view.speakers.map(({ name }) => name)).toEqual(['SPEAKER_01', 'SPEAKER_02']);
    const segments = (await (await get(opened, '/segments?segment_limit=2')).json()) as { segments: PublicSegment[] };
    expect(segments).toMatchObject({ total_segments: 3, segments: [{ text: 'good morning everybody' }, {}] });
    expect(segments.segments[0]?.words[1]).toEqual({ word: 'morning', start: 0.4, end: 0.8 });
    expect(await problemOf(await get(opened, '/summary'))).toEqual([404, 'not_found']);
    const text = JSON.stringify([opened.view, segments]);
    for (const id of [run.fileId, run.owner.userId, 'talk.wav']) expect(text).not.toContain(id);
  });

  it('send the recording in parts, without its name and without traces in caches and search engines', async () => {
    const run = await transcribed(media);
    const { body } = await create(run, { parts: ['recording'] });
    const opened = await open(body);
    const whole = await get(opened, '/recording');
    expect([whole.status, whole.headers.get('content-type')]).toEqual([200, 'audio/wav']);
    const bytes = Buffer.from(await whole.arrayBuffer());
    const part = await get(opened, '/recording', { range: 'bytes=10-19' });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 10-19/${bytes.length}`]);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(10, 20));
    for (const answer of [opened.response, whole, part, await get(opened, '')])
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-robots-tag': 'noindex, nofollow, noarchive',
      });
    expect(whole.headers.get('content-disposition')).toBe('inline');
    expect(await problemOf(await get(opened, '/segments'))).toEqual([404, 'not_found']);
  });

  it('show the summary without model, prompt and ids', async () => {
    const insights = await media.connectAs('insights');
    const run = await transcribed(media);
    const segments = [{ uuid: randomUUID(), start: 2 }];
    const asked: unknown[] = [];
    insights.serve(insightsRpc.summary, async (request) => {
      asked.push(request);
      return { summary: summaryOf(run.fileId, segments) };
    });
    await insights.nc().flush();
    const opened = await open((await create(run, { parts: ['summary'] })).body);
    const answer = await get(opened, '/summary');
    expect(await answer.json()).toEqual({
      summary: {
        language: null,
        made_without_model: false,
        out_of_date: false,
        brief: [{ text: 'A greeting.', starts: [2] }],
        key_decisions: [],
        action_items: [{ text: 'Begin.', owner: null, due_date: null, starts: [2] }],
        topics: [{ title: 'Greeting', start: 0, end: 4 }],
        follow_ups: [],
      },
    });
    expect(asked).toEqual([{ fileId: run.fileId, masks: [] }]);
  });

  it('are created and revoked by the owner and administrators only', async () => {
    const run = await transcribed(media);
    const editor = newUser();
    const share = { user_uuid: editor.userId, permission: 'editor' };
    await media.json(run.owner, 'PUT', `/api/files/${run.fileId}/shares`, share);
    const link = (await create(run)).body;
    const path = `/api/files/${run.fileId}/public-links`;
    for (const [person, refusal] of [
      [editor, { status: 403, body: { code: 'permission_required' } }],
      [newUser(), { status: 404, body: { code: 'not_found' } }],
    ] as const) {
      expect(await create(run, {}, person)).toMatchObject(refusal);
      expect(await media.json(person, 'GET', path)).toMatchObject(refusal);
      expect(await media.json(person, 'DELETE', `${path}/${link.uuid}`)).toMatchObject(refusal);
    }
    expect((await create(run, {}, newUser('admin'))).status).toBe(201);
    expect(await media.json(run.owner, 'DELETE', `${path}/${link.uuid}`)).toMatchObject({
      status: 200,
      body: { state: 'revoked' },
    });
  });

  it('are stored without their token and their password', async () => {
    const run = await transcribed(media);
    const { token } = (await create(run, { password })).body;
    const rows = await media.query('select * from public_link where media_file_id = $1', run.fileId);
    expect(rows).toMatchObject([{ password_hash: expect.stringMatching(/^\$argon2id\$/) }]);
    const list = await media.json(run.owner, 'GET', `/api/files/${run.fileId}/public-links`);
    const stored = JSON.stringify([rows, list, media.eventsOf('evt.media.action.performed.v1', run.fileId)]);
    expect(stored).not.toContain(token);
    expect(stored).not.toContain(password);
  });

  it('count how often they were opened, and leave creation and revocation in the audit trail', async () => {
    const run = await transcribed(media);
    const link = (await create(run)).body;
    expect(link).toMatchObject({ views: 0, last_viewed_at: null, state: 'active', created_by: run.owner.userId });
    const opened = await open(link);
    await open(link);
    await get(opened, '');
    await get(opened, '/segments');
    expect(await linkOf(run, link.uuid)).toMatchObject({ views: 2, last_viewed_at: expect.any(String) });
    await media.json(run.owner, 'DELETE', `/api/files/${run.fileId}/public-links/${link.uuid}`);
    const actions = await waitFor(() => {
      const all = media.eventsOf('evt.media.action.performed.v1', run.fileId).map(({ data }) => data);
      const ours = all.filter(({ action }) => String(action).startsWith('public_link'));
      return ours.length === 2 ? ours : undefined;
    });
    expect(actions).toMatchObject([
      { action: 'public_link_created', actorId: run.owner.userId, details: { link: link.uuid, password: 'no' } },
      { action: 'public_link_revoked', actorId: run.owner.userId, details: { link: link.uuid, views: 2 } },
    ]);
  });

  it('are refused beyond their limits', async () => {
    const run = await transcribed(media);
    await setLinks({ max_days: 2, password_required: true });
    const invalid = (path: string) => ({ status: 422, body: { code: 'invalid_body', errors: [{ path }] } });
    expect(await create(run, { password, hours: 49 })).toMatchObject(invalid('expires_at'));
    expect(await create(run, { password, hours: -1 })).toMatchObject(invalid('expires_at'));
    expect(await create(run)).toMatchObject(invalid('password'));
    expect(await create(run, { password: 'short' })).toMatchObject(invalid('password'));
    expect(await create(run, { password, parts: [] })).toMatchObject(invalid('parts'));
    expect((await create(run, { password, hours: 48 })).status).toBe(201);
    await setLinks({ max_days: null, password_required: null });
    await media.query(
      `insert into public_link (media_file_id, created_by, token_hash, parts, expires_at)
       select $1, $2, 'filler ' || i, '{text}', now() + interval '1 hour' from generate_series(1, 49) i`,
      run.fileId,
      run.owner.userId,
    );
    expect(await create(run)).toMatchObject({ status: 409, body: { code: 'too_many_public_links' } });
  });

  it('do not offer a recording where there is none', async () => {
    const run = await transcribed(media);
    const opened = await open((await create(run, { parts: ['recording', 'text'] })).body);
    await media.query('update media_file set recording_removed_at = now() where uuid = $1', run.fileId);
    expect(await (await get(opened, '')).json()).toMatchObject({ parts: ['text'], recording: null });
    expect((await get(opened, '/recording')).status).toBe(404);
    expect(await create(run, { parts: ['recording'] })).toMatchObject({ status: 409, body: { code: 'no_recording' } });
  });
});

describe('the answer to an ended link is the one to an unknown link', () => {
  const ends: Record<string, (run: Run, link: Created) => Promise<unknown>> = {
    'after it was revoked': (run, { uuid }) =>
      media.json(run.owner, 'DELETE', `/api/files/${run.fileId}/public-links/${uuid}`),
    'after its end date': (_, { uuid }) =>
      media.query(`update public_link set expires_at = now() - interval '1 second' where uuid = $1`, uuid),
    'while its file is in the bin': (run) => media.json(run.owner, 'DELETE', `/api/files/${run.fileId}`),
    'while its file is in quarantine': (run) =>
      media.json(boss, 'POST', `/api/admin/files/${run.fileId}/quarantine`, { reason: 'Malware' }),
    'after its file was deleted permanently': (run) =>
      media.query('delete from media_file where uuid = $1', run.fileId),
    'after the account that created it was deleted': async (run, { uuid }) => {
      await media.emit(identityEvents.userDeleted, { userId: run.owner.userId });
      await waitFor(async () => (await media.query('select 1 from public_link where uuid = $1', uuid)).length === 0);
    },
    'after that account was disabled': async (run, { uuid }) => {
      const data = { userId: run.owner.userId, by: 'administrator', reason: 'left' } as const;
      await media.emit(identityEvents.userDisabled, data);
      await waitFor(
        async () =>
          (await media.query('select 1 from public_link where uuid = $1 and revoked_at is not null', uuid)).length ===
          1,
      );
      const revoked = await waitFor(() =>
        media
          .eventsOf('evt.media.action.performed.v1', run.fileId)
          .find(({ data: { action } }) => action === 'public_link_revoked'),
      );
      expect(revoked.data).toMatchObject({ actorId: null, details: { link: uuid } });
    },
    'after that account was erased': async (run, { uuid }) => {
      const userId = run.owner.userId;
      await media.emit(userErasureOrdered, { erasureId: randomUUID(), round: 1, userId });
      await waitFor(async () => (await media.query('select 1 from public_link where uuid = $1', uuid)).length === 0);
    },
  };

  it.each(Object.entries(ends))('%s', async (_, end) => {
    const run = await transcribed(media);
    const link = (await create(run, { parts: ['text', 'recording', 'summary'] })).body;
    const opened = await open(link);
    await end(run, link);
    await expectNoLink(link.token, opened);
  });

  it('after links were switched off, also when they are switched on again', async () => {
    const run = await transcribed(media);
    const link = (await create(run)).body;
    const opened = await open(link);
    expect((await setLinks({ enabled: false })).body).toMatchObject({ active_links: 0 });
    await expectNoLink(link.token, opened);
    expect(await create(run)).toMatchObject({ status: 409, body: { code: 'public_links_disabled' } });
    await setLinks({ enabled: true });
    await expectNoLink(link.token, opened);
    const operations = await media.query(
      `select data from media_outbox where data ->> 'action' = 'public_link_settings_changed'
         and data -> 'details' ->> 'ended_links' is not null`,
    );
    expect(operations).toMatchObject([{ data: { actorId: boss.userId, details: { enabled: 'false' } } }]);
  });

  it('while they are switched off by the setting alone', async () => {
    const run = await transcribed(media);
    const link = (await create(run)).body;
    const opened = await open(link);
    await media.query(`update media_settings set value = 'false' where key = 'public_links.enabled'`);
    await expectNoLink(link.token, opened);
    await setLinks({ enabled: true });
    expect((await get(opened, '')).status).toBe(200);
  });

  it('without the cookie, with that of another link, with a changed and with an expired one', async () => {
    const run = await transcribed(media);
    const link = (await create(run)).body;
    const opened = await open(link);
    const other = await open((await create(run)).body);
    const [name, value = ''] = opened.cookie.split('=');
    const [expires = '', signature = ''] = value.split('.');
    const forged = `${name}=${Number(expires) + 1}.${signature}`;
    for (const cookie of ['', other.cookie, forged, `${name}=1.${signature}`, `${name}=x`, `${name}=9e9.${signature}`])
      expect([cookie, (await get({ ...opened, cookie }, '/segments')).status]).toEqual([cookie, 404]);
    expect((await get(opened, '/segments')).status).toBe(200);
    expect((await get({ ...opened, cookie: `${forged}; ${opened.cookie}` }, '/segments')).status).toBe(200);
    expect(opened.response.headers.get('set-cookie')).toMatch(
      new RegExp(`; Path=/api/public/links/${link.uuid}; Max-Age=3600; HttpOnly; SameSite=Strict$`),
    );
  });
});

describe('the password of a public link', () => {
  it('is needed, and a wrong one opens nothing', async () => {
    const run = await transcribed(media);
    const link = (await create(run, { password })).body;
    const asked = await post('open', { token: link.token });
    expect(await asked.json()).toEqual({ uuid: link.uuid, password_required: true, view: null });
    expect(asked.headers.get('set-cookie')).toBeNull();
    const wrong = await post('unlock', { token: link.token, password: 'porcupine' });
    expect(wrong.headers.get('set-cookie')).toBeNull();
    expect(await problemOf(wrong)).toEqual([403, 'public_link_password_wrong']);
    expect(await linkOf(run, link.uuid)).toMatchObject({ views: 0, has_password: true });
    expect((await get(await open(link, password), '/segments')).status).toBe(200);
    expect(await linkOf(run, link.uuid)).toMatchObject({ views: 1 });
  });

  it('is not asked for again in the browser that entered it', async () => {
    const run = await transcribed(media);
    const link = (await create(run, { password })).body;
    const { cookie } = await open(link, password);
    const { uuid } = (await (await post('open', { token: link.token })).json()) as { uuid: string };
    const view = { uuid } as PublicView;
    const again = await get({ view, cookie }, '');
    expect([again.status, cookieOf(again)]).toEqual([200, expect.stringContaining('=')]);
    expect((await get({ view, cookie: '' }, '')).status).toBe(404);
    expect(await linkOf(run, link.uuid)).toMatchObject({ views: 1 });
  });

  it('is not checked for a while after five wrong ones, concurrent ones included, and longer after each further one', async () => {
    const run = await transcribed(media);
    const link = (await create(run, { password })).body;
    const attempt = (guess: string) => post('unlock', { token: link.token, password: guess });
    const answers = await Promise.all(Array.from({ length: 12 }, () => attempt('wrong guess')));
    const statuses = answers.map(({ status }) => status).toSorted((left, right) => left - right);
    expect(statuses).toEqual([...Array<number>(5).fill(403), ...Array<number>(7).fill(429)]);
    const right = await attempt(password);
    expect([right.status, Number(right.headers.get('retry-after'))]).toEqual([429, expect.any(Number)]);
    expect(Number(right.headers.get('retry-after'))).toBeLessThanOrEqual(30);
    const release = () => media.query('update public_link set retry_at = now() where uuid = $1', link.uuid);
    await release();
    expect((await attempt('wrong guess')).status).toBe(403);
    const [row] = await media.query(
      'select extract(epoch from retry_at - now())::int as wait from public_link where uuid = $1',
      link.uuid,
    );
    expect(row?.['wait']).toBeGreaterThan(50);
    await release();
    expect((await attempt(password)).status).toBe(200);
    expect((await attempt('wrong guess')).status).toBe(403);
    expect((await attempt(password)).status).toBe(200);
  });
});

describe('masks of public links', () => {
  /** Reads what at least one reader does not see, although viewers and owners see all of it. */
  it('hide in text, words and speakers what any reader does not see, and what others may reveal', async () => {
    const run = await spoken();
    await setPolicy({ masked_kinds: ['email', 'name'], masked_for: ['administrator'], reveal_for: redactionAudiences });
    const speaker = await firstSpeaker(run);
    await media.json(run.owner, 'PUT', `/api/speakers/${speaker}`, { display_name: 'Quillfeather' });
    await untilScanned(run);
    const opened = await open((await create(run, { parts: ['text', 'recording'] })).body);
    const text = JSON.stringify([opened.view, await (await get(opened, '/segments')).json()]);
    expect(text).toContain('hello and welcome');
    expect(text).toContain('[email]');
    for (const masked of ['quince', 'marrow', 'thistle', 'Quillfeather']) expect(text).not.toContain(masked);
    const { body } = await media.json(run.owner, 'GET', `/api/files/${run.fileId}`);
    expect(JSON.stringify(body)).toContain('marrow');
  });

  it('remove masked parts from the sound also where the policy does not mask sound or viewers may reveal it', async () => {
    const run = await spoken();
    await setPolicy({ masked_kinds: ['email'], masked_for: redactionAudiences, reveal_for: redactionAudiences });
    await untilScanned(run);
    const opened = await open((await create(run, { parts: ['recording'] })).body);
    expect(opened.view.recording).toBe('pending');
    expect(await problemOf(await get(opened, '/recording'))).toEqual([409, 'audio_masking_pending']);
    const copies = () => media.query('select variant, mode from masked_audio where media_file_id = $1', run.fileId);
    const [copy] = await copies();
    expect(copy).toMatchObject({ mode: 'silence' });
    await run.objects.put(`derived/${run.fileId}/masked/copy`, 'masked sound');
    await media.query(
      `update masked_audio set status = 'ready', object_key = $2, content_type = 'audio/flac' where media_file_id = $1`,
      run.fileId,
      `derived/${run.fileId}/masked/copy`,
    );
    expect(await (await get(opened, '')).json()).toMatchObject({ recording: 'ready' });
    expect(await (await get(opened, '/recording')).text()).toBe('masked sound');
    await setPolicy({ masked_kinds: [] });
    expect(await (await get(opened, '/recording')).text()).not.toBe('masked sound');
  });

  it('withhold text that was not scanned', async () => {
    const run = await spoken();
    await setPolicy({ masked_kinds: ['email'], masked_for: ['administrator'], withhold_unscanned: true });
    await untilScanned(run);
    const opened = await open((await create(run)).body);
    await media.query(`update media_file set redaction_version = transcript_version where uuid = $1`, run.fileId);
    await media.query(
      `update transcript_segment set redaction_key = 'old:' || md5(text) where media_file_id = $1`,
      run.fileId,
    );
    const { segments } = (await (await get(opened, '/segments')).json()) as { segments: PublicSegment[] };
    expect(segments.map(({ withheld, words }) => [withheld, words])).toEqual(segments.map(() => [true, []]));
    await setPolicy({ masked_kinds: [] });
  });

  function spoken(): Promise<Run> {
    const transcript = twoVoices();
    const [first] = transcript.segments;
    const text = 'write to quince dot marrow at thistle dot org today';
    const words = text.split(' ').map((word, i) => ({ word, start: i * 0.1, end: i * 0.1 + 0.1, confidence: 0.8 }));
    Object.assign(first as object, { text, words });
    return transcribed(media, newUser(), transcript);
  }

  async function setPolicy(policy: object): Promise<void> {
    expect((await media.json(boss, 'PUT', '/api/admin/redaction-policy', policy)).status).toBe(200);
  }

  async function firstSpeaker(run: Run): Promise<string> {
    const { body } = await media.json<{ uuid: string }[]>(run.owner, 'GET', `/api/speakers?file_uuid=${run.fileId}`);
    return body[0]?.uuid ?? '';
  }

  async function untilScanned(run: Run): Promise<void> {
    await waitFor(async () => {
      const path = `/api/files/${run.fileId}/redaction`;
      const { body } = await media.json<{ scan_status: string }>(run.owner, 'GET', path);
      return body.scan_status === 'scanned' || undefined;
    });
  }
});

describe('the settings of public links', () => {
  it.each([newUser(), newUser('admin')])('are for super_admins only: %#', async (person: TestUser) => {
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', { enabled: true }],
    ] as const)
      expect(await media.json(person, method, '/api/admin/public-links', body)).toMatchObject({
        status: 403,
        body: { code: 'role_required' },
      });
  });
});

function summaryOf(fileId: string, segments: { uuid: string; start: number }[]): SummaryObject {
  return {
    file_id: fileId,
    title: 'Talk',
    version: 1,
    state: 'completed',
    automatic: false,
    made_without_model: false,
    provider: 'secret provider',
    model: 'secret model',
    prompt_uuid: null,
    prompt_name: null,
    language: null,
    out_of_date: false,
    withheld: false,
    error_code: null,
    created_at: '2026-01-01T00:00:00Z',
    finished_at: null,
    summary: {
      brief: [{ text: 'A greeting.', segments }],
      key_decisions: [],
      action_items: [{ text: 'Begin.', owner: null, due_date: null, segments }],
      topics: [{ title: 'Greeting', start: 0, end: 4, segments }],
      follow_ups: [],
    },
    coverage: { segments: 3, covered_segments: 3, gaps: [] },
    usage: { input_tokens: 0, output_tokens: 0, duration_ms: 0 },
  };
}
