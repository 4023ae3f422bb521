import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import {
  foundRpc,
  labelRpc,
  mediaInsightsRpc,
  mediaRpc,
  redactionAudiences,
  redactionKinds,
  roleAtLeast,
  routes,
  type FileDetail,
  type RouteDef,
} from '@overtone/contracts';
import { exportFormatNames } from '@overtone/contracts/export-formats';
import type { Bus } from '@overtone/service-kit';
import { z } from 'zod';
import { textIn } from '../../test/exports.ts';
import { transcribed, transcriptOf, type Run } from '../../test/runs.ts';
import { newUser, startMedia, waitFor, type TestUser } from '../../test/start-media.ts';

/** One planted text per kind, with the words that must not be in any answer. */
const planted: Readonly<Record<string, { text: string; canaries: string[] }>> = {
  name: { text: 'my name is Zebulon Quillfeather', canaries: ['Zebulon', 'Quillfeather'] },
  email: { text: 'write to quince dot marrow at thistle dot org today', canaries: ['quince', 'marrow', 'thistle'] },
  phone: { text: 'call me on 415 555 2671 please', canaries: ['2671', '415'] },
  address: { text: 'i live at 4417 Gallowglass Street now', canaries: ['4417', 'Gallowglass'] },
  card: { text: 'the card is 4111 1111 1111 1111 okay', canaries: ['4111', '1111'] },
  account: { text: 'the iban is DE89 3704 0044 0532 0130 00 for rent', canaries: ['DE89', '3704', '0532'] },
  id_number: { text: 'my social security number is 536-90-4399', canaries: ['536-90', '4399'] },
  birth_date: { text: 'i was born on july ninth nineteen seventy eight', canaries: ['ninth', 'seventy eight'] },
  secret: { text: 'the password is porcupine umbrella', canaries: ['porcupine', 'umbrella'] },
};
const canaries = Object.values(planted).flatMap((one) => one.canaries);
/** Text without personal data: it is hidden only while it was not scanned. */
const ordinary = 'kaleidoscope';

const texts = [...Object.values(planted).map(({ text }) => text), `the ${ordinary} was open`];

const textFields: ReadonlySet<string> = new Set([
  'text',
  'snippet',
  'word',
  'words',
  'segments',
  'transcript_segments',
]);

/** Whether an answer of the route has a field that holds spoken text. */
function carriesText({ answer, answerType, otherAnswers }: RouteDef): boolean {
  const types = [answerType, ...Object.keys(otherAnswers)];
  return (
    types.some((type) => type.startsWith('text/')) || hasTextField(z.toJSONSchema(answer, { unrepresentable: 'any' }))
  );
}

function hasTextField(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  const { properties } = schema as { properties?: object };
  if (properties && Object.keys(properties).some((name) => textFields.has(name))) return true;
  return Object.values(schema).some(hasTextField);
}

function nameOf({ method, path }: Pick<RouteDef, 'method' | 'path'>): string {
  return `${method} ${path}`;
}

/** The planted texts as a transcript file, said by a person whose name is masked. */
function transcriptFile(): FormData {
  const srt = [...Object.values(planted).map(({ text }) => text), `the ${ordinary} was open`]
    .map((text, i) => `${i + 1}\n00:00:${10 + i},000 --> 00:00:${10 + i},900\nQuillfeather: ${text}\n`)
    .join('\n');
  const form = new FormData();
  form.set('file', new Blob([srt]), 'talk.srt');
  return form;
}

/** `imported`: a file without a recording. */
type Place = {
  run: Run;
  imported: string;
  segment: string;
  speaker: string;
  redaction: string;
  comment: string;
  /** A list with a code that the whole transcript has. */
  list: string;
  code: string;
  links: OpenedLink[];
};
type OpenedLink = { uuid: string; cookie: string };
/** `cookie`: of a public link that was opened. */
type Call = (place: Place) => { path: string; body?: unknown; cookie?: string };
function exportsOf(format: string): Call[] {
  const path = (fileId: string) => ({ path: `/api/files/${fileId}/subtitles?subtitle_format=${format}` });
  return [({ run }) => path(run.fileId), ({ imported }) => path(imported)];
}
/** Requests of the routes that carry text and need more than a file's id. */
const calls: Readonly<Record<string, readonly Call[]>> = {
  'GET /api/files/{uuid}': [
    ({ run }) => ({ path: `/api/files/${run.fileId}?segment_limit=5000` }),
    ({ imported }) => ({ path: `/api/files/${imported}?segment_limit=5000` }),
  ],
  'GET /api/files/{uuid}/content': [
    ({ run }) => ({ path: `/api/files/${run.fileId}/content` }),
    ({ imported }) => ({ path: `/api/files/${imported}/content` }),
    ({ imported }) => ({ path: `/api/files/${imported}/content?download=true` }),
  ],
  'GET /api/files/{uuid}/segments': ['true', 'false'].flatMap((words): Call[] => [
    ({ run }) => ({ path: `/api/files/${run.fileId}/segments?words=${words}` }),
    ({ imported }) => ({ path: `/api/files/${imported}/segments?words=${words}` }),
  ]),
  'GET /api/files/{uuid}/export': [
    ...exportFormatNames.map((format): Call => ({ run }) => ({
      path: `/api/files/${run.fileId}/export?format=${format}&participants=true&uncertain=true&comments=true&masked=bar`,
    })),
    ({ imported }) => ({ path: `/api/files/${imported}/export?format=json` }),
  ],
  'GET /api/transcripts/export': ['txt', 'docx'].map((format): Call => ({ run, imported }) => ({
    path: `/api/transcripts/export?format=${format}&comments=true&file_uuids=${run.fileId},${imported}`,
  })),
  'GET /api/transcripts/export/search': [() => ({ path: '/api/transcripts/export/search?format=txt&q=call' })],
  'GET /api/files/{uuid}/export/preview': [
    ({ run }) => ({ path: `/api/files/${run.fileId}/export/preview?format=docx&participants=true&comments=true` }),
  ],
  'GET /api/files/{uuid}/subtitles': ['srt', 'webvtt', 'txt', 'json'].flatMap(exportsOf),
  ...Object.fromEntries(
    ['', '/segments', '/recording'].map((part): [string, Call[]] => [
      `GET /api/public/links/{uuid}${part}`,
      [0, 1].map((i): Call => ({ links }) => ({
        path: `/api/public/links/${links[i]?.uuid}${part}`,
        cookie: links[i]?.cookie ?? '',
      })),
    ]),
  ),
  'PUT /api/files/{uuid}/transcript/segments/{segment_uuid}': [
    ({ run, segment }) => ({ path: `/api/files/${run.fileId}/transcript/segments/${segment}`, body: {} }),
    ({ run, segment }) => ({ path: `/api/files/${run.fileId}/transcript/segments/${segment}`, body: { text: 'x' } }),
    ({ run, segment, speaker }) => ({
      path: `/api/files/${run.fileId}/transcript/segments/${segment}`,
      body: { speaker_uuid: speaker },
    }),
  ],
  'POST /api/files/{uuid}/transcript/operations': [
    ({ run, segment }) => {
      const operations = [{ segments: [{ uuid: segment }], replacement: [{ uuid: segment }] }];
      return { path: `/api/files/${run.fileId}/transcript/operations`, body: { uuid: randomUUID(), operations } };
    },
    ({ run, segment, speaker }) => {
      const operations = [{ segments: [{ uuid: segment }], replacement: [{ uuid: segment, speaker_uuid: speaker }] }];
      return { path: `/api/files/${run.fileId}/transcript/operations`, body: { uuid: randomUUID(), operations } };
    },
  ],
  'GET /api/comments': ['', '?text=e', '?text=my+name+is', '?state=open'].map((query): Call => () => ({
    path: `/api/comments${query}`,
  })),
  'GET /api/files/{uuid}/comments': [({ run }) => ({ path: `/api/files/${run.fileId}/comments` })],
  'POST /api/files/{uuid}/comments': [
    ({ run }) => ({
      path: `/api/files/${run.fileId}/comments`,
      body: { start_time: 0, end_time: 100, color: 'pink' },
    }),
  ],
  'POST /api/files/{uuid}/comments/{comment_uuid}/replies': [
    ({ run, comment }) => ({
      path: `/api/files/${run.fileId}/comments/${comment}/replies`,
      body: { text: 'x' },
    }),
  ],
  'PUT /api/files/{uuid}/comments/{comment_uuid}': [
    ({ run, comment }) => ({ path: `/api/files/${run.fileId}/comments/${comment}`, body: { text: 'x' } }),
  ],
  'PUT /api/files/{uuid}/comments/{comment_uuid}/resolved': [
    ({ run, comment }) => ({ path: `/api/files/${run.fileId}/comments/${comment}/resolved`, body: { resolved: true } }),
  ],
  'POST /api/files/{uuid}/codings': [
    ({ run, code }) => ({
      path: `/api/files/${run.fileId}/codings`,
      body: { code_uuid: code, start_time: 0, end_time: 99 },
    }),
  ],
  'GET /api/code-lists/{uuid}/passages': [({ list }) => ({ path: `/api/code-lists/${list}/passages` })],
  'GET /api/code-lists/{uuid}/export': ['csv', 'qdpx'].map((format): Call => ({ list }) => ({
    path: `/api/code-lists/${list}/export?format=${format}`,
  })),
  'POST /api/transcripts/find': ['e', '[a-z0-9 ]+'].map((find): Call => ({ run, imported }) => ({
    path: '/api/transcripts/find',
    body: { find, regex: true, replacement: '$&', file_uuids: [run.fileId, imported] },
  })),
  'POST /api/files/{uuid}/transcript/undo': [
    ({ run }) => ({ path: `/api/files/${run.fileId}/transcript/undo`, body: { uuid: randomUUID() } }),
  ],
  'POST /api/files/{uuid}/transcript/redo': [
    ({ run }) => ({ path: `/api/files/${run.fileId}/transcript/redo`, body: { uuid: randomUUID() } }),
  ],
  // The texts before and after the correction of the planted texts.
  'GET /api/files/{uuid}/transcript/differences': [
    ({ run }) => ({ path: `/api/files/${run.fileId}/transcript/differences` }),
  ],
  'PUT /api/transcripts/segments/{uuid}/speaker': [
    ({ segment, speaker }) => ({
      path: `/api/transcripts/segments/${segment}/speaker`,
      body: { speaker_uuid: speaker },
    }),
  ],
  'POST /api/transcripts/import/preview': [() => ({ path: '/api/transcripts/import/preview', body: transcriptFile() })],
  'POST /api/transcripts/import': [() => ({ path: '/api/transcripts/import', body: transcriptFile() })],
  'POST /api/files/{uuid}/transcript/import': [
    ({ imported }) => ({ path: `/api/files/${imported}/transcript/import`, body: transcriptFile() }),
  ],
  'POST /api/files/{uuid}/redactions/{redaction_uuid}/reveal': [
    ({ run, redaction }) => ({ path: `/api/files/${run.fileId}/redactions/${redaction}/reveal` }),
  ],
};
/** Routes of other services with such a field, and where their text comes from. */
const elsewhere: Readonly<Record<string, string>> = {
  'GET /api/search': 'its text is that of rpc.media.transcript-page, which is tested below',
  'GET /api/search/suggestions': 'its titles, speakers, tags and words are those of rpc.media.transcript-page',
  'GET /api/search/filters': 'its speakers and tags are those of rpc.media.transcript-page',
  'GET /api/admin/audit-logs/export': 'its records are made from events, which are tested below',
  'GET /api/docs': 'the documentation of the API',
  'POST /api/admin/asr-providers/test': 'its text is that of the sample in the product',
  'POST /api/ask/conversations':
    'its quotes are those of rpc.media.insight-transcript; tighter masks remove the answer',
  'GET /api/ask/conversations/{uuid}':
    'its quotes are those of rpc.media.insight-transcript; tighter masks remove the answer',
  'PUT /api/ask/conversations/{uuid}':
    'its quotes are those of rpc.media.insight-transcript; tighter masks remove the answer',
  'POST /api/ask/conversations/{uuid}/messages':
    'its quotes are those of rpc.media.insight-transcript; tighter masks remove the answer',
  'POST /api/ask/conversations/{uuid}/messages/{message_uuid}/retry':
    'its quotes are those of rpc.media.insight-transcript; tighter masks remove the answer',
  'GET /api/ask/conversations/{uuid}/export':
    'its quotes are those of rpc.media.insight-transcript; tighter masks remove the answer',
  'GET /api/public/links/{uuid}/summary': 'it is that of GET /api/files/{uuid}/summary',
  'GET /api/files/{uuid}/summary': 'it is made of rpc.media.insight-transcript, which is tested below',
  'POST /api/prompts': 'its text is that of its body',
  'GET /api/prompts/{uuid}': 'its text is what a person wrote',
  'PUT /api/prompts/{uuid}': 'its text is what a person wrote',
  'POST /api/prompts/shared/{uuid}/toggle': 'its text is what a person wrote',
  'GET /api/admin/models': 'its words are a number, of an evaluation',
  'GET /api/admin/accuracy': 'its words are numbers',
  'GET /api/files/{uuid}/transcript/accuracy': 'its words are numbers',
};

const media = await startMedia();
const boss = newUser('super_admin');
const owner = newUser();
const readers: Readonly<Record<string, TestUser>> = {
  viewer: newUser(),
  editor: newUser(),
  owner,
  administrator: newUser('admin'),
  super_admin: boss,
  stranger: newUser(),
};
let place: Place;
let indexer: Bus;
let insights: Bus;

beforeAll(async () => {
  indexer = await media.connectAs('search-indexer');
  insights = await media.connectAs('insights');
  const run = await transcribed(media, owner, transcriptOf(texts));
  const created = await media.call(owner, 'POST', '/api/transcripts/import', { body: transcriptFile() });
  expect(created.status).toBe(201);
  const { uuid: imported } = (await created.json()) as FileDetail;
  expect((await media.json(boss, 'PUT', '/api/admin/public-links', { enabled: true })).status).toBe(200);
  indexer.serve(foundRpc.foundFiles, async () => ({ fileIds: [run.fileId, imported], more: false }));
  await indexer.nc().flush();
  for (const fileId of [run.fileId, imported])
    for (const permission of ['viewer', 'editor'])
      await media.json(owner, 'PUT', `/api/files/${fileId}/shares`, {
        user_uuid: readers[permission]?.userId,
        permission,
      });
  await untilScanned(run.fileId);
  await correctAll(run);
  const comment = await commentWithEverything(run.fileId);
  const { list, code } = await codeOfEverything([run.fileId, imported]);
  const policy = {
    masked_kinds: redactionKinds,
    masked_for: redactionAudiences,
    reveal_for: [],
    withhold_unscanned: true,
  };
  expect((await media.json(boss, 'PUT', '/api/admin/redaction-policy', policy)).status).toBe(200);
  const { body } = await media.json<FileDetail>(owner, 'GET', `/api/files/${run.fileId}`);
  const first = body.transcript_segments[0];
  place = {
    run,
    imported,
    segment: first?.uuid ?? '',
    speaker: body.speakers[1]?.uuid ?? '',
    redaction: first?.redactions[0]?.uuid ?? '',
    comment,
    list,
    code,
    links: [await openLink(run.fileId), await openLink(imported)],
  };
  await media.json(owner, 'PUT', `/api/speakers/${place.speaker}`, { display_name: 'Quillfeather' });
  await untilScanned(run.fileId);
  media.messages.length = 0;
});

/** A comment on the whole transcript that repeats it, and replies, by a person who is none of the readers. */
async function commentWithEverything(fileId: string): Promise<string> {
  const author = newUser('admin');
  const added = await media.json<{ uuid: string; quote: string }>(author, 'POST', `/api/files/${fileId}/comments`, {
    start_time: 0,
    end_time: 100,
    text: Object.values(planted)
      .map(({ text }) => text)
      .join('. '),
  });
  expect(added.body.quote).toContain('Zebulon');
  const path = `/api/files/${fileId}/comments/${added.body.uuid}/replies`;
  for (const { text } of Object.values(planted))
    expect((await media.json(author, 'POST', path, { text })).status).toBe(201);
  for (const text of ['Is it porcupine umbrella?', 'Quillfeather said so'])
    expect((await media.json(author, 'POST', path, { text })).status).toBe(201);
  return added.body.uuid;
}

/** A code of the whole transcripts, in a list that all readers may use. */
async function codeOfEverything(fileIds: string[]): Promise<{ list: string; code: string }> {
  const list = await media.json<{ uuid: string }>(owner, 'POST', '/api/code-lists', { name: 'Study' });
  const path = `/api/code-lists/${list.body.uuid}`;
  for (const reader of ['viewer', 'editor'])
    await media.json(owner, 'POST', `${path}/shares`, {
      target_type: 'user',
      target_uuid: readers[reader]?.userId,
      permission: 'editor',
    });
  const code = await media.json<{ uuid: string }>(owner, 'POST', `${path}/codes`, { name: 'All', color: 'red' });
  const body = { code_uuid: code.body.uuid, start_time: 0, end_time: 100 };
  for (const fileId of fileIds) {
    const given = await media.json<{ quote: string }>(owner, 'POST', `/api/files/${fileId}/codings`, body);
    expect(given.body.quote).not.toBe('');
  }
  return { list: list.body.uuid, code: code.body.uuid };
}

/** Adds a word to each passage, so that the history of corrections holds each planted text twice. */
async function correctAll({ fileId }: Run): Promise<void> {
  const { body } = await media.json<FileDetail>(owner, 'GET', `/api/files/${fileId}`);
  const operations = body.transcript_segments.map(({ uuid, text }) => ({
    segments: [{ uuid }],
    replacement: [{ uuid, text: `indeed ${text}` }],
  }));
  const path = `/api/files/${fileId}/transcript/operations`;
  expect((await media.json(owner, 'POST', path, { uuid: randomUUID(), operations })).status).toBe(200);
  await untilScanned(fileId);
}

/** A link that shows the text, opened. */
async function openLink(fileId: string): Promise<OpenedLink> {
  const link = { parts: ['text'], expires_at: new Date(Date.now() + 3_600_000).toISOString() };
  const created = await media.json<{ token: string }>(owner, 'POST', `/api/files/${fileId}/public-links`, link);
  const body = JSON.stringify({ token: created.body.token });
  const headers = { 'content-type': 'application/json' };
  const opened = await media.call(null, 'POST', '/api/public/links/open', { body, headers });
  const { view } = (await opened.json()) as { view: { uuid: string } };
  const cookie = opened.headers.get('set-cookie')?.split(';')[0] ?? '';
  const shown = await media.call(null, 'GET', `/api/public/links/${view.uuid}/segments`, { headers: { cookie } });
  expect(await shown.text()).toContain(ordinary);
  return { uuid: view.uuid, cookie };
}

async function untilScanned(fileId: string): Promise<void> {
  await waitFor(async () => {
    const { body } = await media.json<{ scan_status: string }>(owner, 'GET', `/api/files/${fileId}/redaction`);
    return body.scan_status === 'scanned' || undefined;
  });
}

/** The requests of a route: the listed ones, or for a GET the ids of the file for each name in the path. */
function requestsOf(route: RouteDef): ReturnType<Call>[] {
  const listed = calls[nameOf(route)];
  if (listed) return listed.map((call) => call(place));
  const path = route.path.replaceAll(/\{(\w+)\}/g, place.run.fileId);
  const query = {
    '/api/speakers': `file_uuid=${place.run.fileId}`,
    '/api/tags/files': `file_uuid=${place.run.fileId}`,
  };
  return [{ path: `${path}?${query[path as keyof typeof query] ?? ''}` }];
}

const mediaRouteTable = routes.filter(({ service }) => service === 'media');
const tested = mediaRouteTable.filter((route) => route.method === 'GET' || calls[nameOf(route)]);
const matrix = Object.keys(readers).flatMap((reader) => tested.map((route) => [reader, nameOf(route), route] as const));

function initOf({ body, cookie }: ReturnType<Call>): RequestInit {
  if (body === undefined) return cookie === undefined ? {} : { headers: { cookie } };
  if (body instanceof FormData) return { body };
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
}

/** Ids, times and positions in the text contain the digits of a canary by chance. */
const idsAndTimes =
  /\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b|\b[\da-f]{16,64}\b|\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z|\bposition="\d+"/g;

/** A word counts where no letter or digit touches it: a size of 4,150 bytes does not hold the area code. */
function foundIn(text: string, words: readonly string[]): string[] {
  const shown = withoutNumbers(text).replaceAll(idsAndTimes, '');
  return words.filter((word) => new RegExp(String.raw`(?<![\d.]|\d,)${word}(?![\d]|[.,]\d)`).test(shown));
}

/** JSON without its numbers: sizes and counts, never words of a transcript. */
function withoutNumbers(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), (_, value: unknown) => (typeof value === 'number' ? 0 : value));
  } catch {
    return text;
  }
}

/** Set by the nightly tier. */
const everyPair = process.env['OT_LEAKS_EVERY_PAIR'] === 'true';
const sharing = ['editor', 'owner', 'administrator', 'super_admin'];

/**
 * Whether a reader makes a request. What a reader may see is decided before a format is written, so of a route with many
 * formats the viewer reads each and the other readers share them; the nightly tier makes every pair.
 */
function isRequestOf(reader: string, request: number, count: number): boolean {
  const share = sharing.indexOf(reader);
  return everyPair || share < 0 || count <= sharing.length || request % sharing.length === share;
}

async function leaksOf(reader: string, route: RouteDef, words: readonly string[]): Promise<string[]> {
  const leaks: string[] = [];
  for (const request of requestsOf(route).filter((_, i, all) => isRequestOf(reader, i, all.length))) {
    const { path } = request;
    const response = await media.call(readers[reader] as TestUser, route.method, path, initOf(request));
    const text = await textIn(response);
    leaks.push(...foundIn(text, words).map((word) => `${path}: ${word}`));
  }
  return leaks;
}

describe('masked text', () => {
  it('can be in no answer of a route that is missing here', () => {
    const known = new Set([...Object.keys(calls), ...Object.keys(elsewhere)]);
    expect(
      routes
        .filter(carriesText)
        .map(nameOf)
        .filter((name) => !known.has(name)),
    ).toEqual([]);
  });

  it('is found in every planted kind, so that the canaries prove something', async () => {
    const { body } = await media.json<{ found: Record<string, number> }>(
      owner,
      'GET',
      `/api/files/${place.run.fileId}/redaction`,
    );
    expect(Object.keys(body.found).sort()).toEqual(Object.keys(planted).sort());
    for (const format of exportFormatNames) {
      const response = await media.call(owner, 'GET', `/api/files/${place.run.fileId}/export?format=${format}`);
      expect(await textIn(response)).toContain(ordinary);
    }
    const rows = await media.query('select text from transcript_segment where media_file_id = $1', place.run.fileId);
    for (const canary of canaries) expect(JSON.stringify(rows)).toContain(canary);
    const comments = await media.query(
      'select body from transcript_comment where media_file_id = $1',
      place.run.fileId,
    );
    for (const canary of canaries) expect(JSON.stringify(comments)).toContain(canary);
    const [history] = await media.query(
      'select before from transcript_operation where media_file_id = $1',
      place.run.fileId,
    );
    for (const canary of canaries) expect(JSON.stringify(history)).toContain(canary);
    const compared = await media.call(owner, 'GET', `/api/files/${place.run.fileId}/transcript/differences`);
    expect(await textIn(compared)).toContain(ordinary);
  });

  it('counts in the text of an answer and in no number of bytes', () => {
    expect(foundIn('{"text":"call 415, now","bytes":1}', ['415'])).toEqual(['415']);
    expect(foundIn('00:01 call me on 415.', ['415'])).toEqual(['415']);
    expect(foundIn('{"bytes":415,"text":"1415 and 4,150 and 0.415"}', ['415'])).toEqual([]);
  });

  it.each(matrix)('does not leak to %s through %s', async (reader, _, route) => {
    expect(await leaksOf(reader, route, canaries)).toEqual([]);
  });

  it('is in no page for the search index', async () => {
    const page = await indexer.request(mediaRpc.transcriptPage, { fileId: place.run.fileId, offset: 0, limit: 50 });
    const text = JSON.stringify(page);
    expect(text).toContain(ordinary);
    expect(foundIn(text, canaries)).toEqual([]);
  });

  it('is in no page for summaries and other insights, and so in no request to a language model', async () => {
    for (const fileId of [place.run.fileId, place.imported]) {
      const page = await insights.request(mediaInsightsRpc.transcript, { fileId, offset: 0, limit: 50 });
      const text = JSON.stringify(page);
      expect(text).toContain(ordinary);
      expect(foundIn(text, canaries)).toEqual([]);
    }
  });

  it('of an imported transcript is stored with its spans, and its file is sent to no user', async () => {
    const page = await indexer.request(mediaRpc.transcriptPage, { fileId: place.imported, offset: 0, limit: 50 });
    expect(page.segments.at(-1)?.text).toContain(ordinary);
    expect(foundIn(JSON.stringify(page), canaries)).toEqual([]);
    const rows = await media.query('select text from transcript_segment where media_file_id = $1', place.imported);
    for (const canary of canaries) expect(JSON.stringify(rows)).toContain(canary);
    const statuses = await Promise.all(
      ['viewer', 'editor', 'owner', 'administrator', 'super_admin'].map(async (reader) => {
        const path = `/api/files/${place.imported}/content`;
        return (await media.call(readers[reader] as TestUser, 'GET', path)).status;
      }),
    );
    expect(statuses).toEqual([403, 403, 403, 403, 403]);
  });

  it('is in no answer about an import onto a file and its undo', async () => {
    const editor = readers['editor'] as TestUser;
    const path = `/api/files/${place.imported}/transcript/import`;
    const onto = await media.call(editor, 'POST', path, { body: transcriptFile() });
    expect(onto.status).toBe(200);
    const answer = (await onto.json()) as { undo: { uuid: string } };
    const undone = await media.json(editor, 'POST', `/api/files/${place.imported}/undo/${answer.undo.uuid}`);
    expect(undone.status).toBe(200);
    const detail = await media.json<FileDetail>(editor, 'GET', `/api/files/${place.imported}?segment_limit=5000`);
    expect(detail.body.transcript_segments.some(({ withheld }) => withheld)).toBe(false);
    const text = JSON.stringify([answer, undone.body, detail.body]);
    expect(foundIn(text, canaries)).toEqual([]);
  });

  it('is in no other reply to a service and in no event, and so in no push message and no audit record', async () => {
    const replies = await Promise.all([
      indexer.request(mediaRpc.listTranscribed, { after: null, limit: 100 }),
      indexer.request(mediaRpc.listShared, { after: null, limit: 100 }),
      insights.request(labelRpc.labelContext, { fileId: place.run.fileId }),
    ]);
    const editor = readers['editor'] as TestUser;
    const path = `/api/files/${place.run.fileId}/transcript/segments/${place.segment}`;
    const edited = await media.json<{ undo: { uuid: string } }>(editor, 'PUT', path, { text: 'hello [name]' });
    expect(edited.status).toBe(200);
    const undone = await media.json(editor, 'POST', `/api/files/${place.run.fileId}/undo/${edited.body.undo.uuid}`);
    expect(undone.status).toBe(200);
    await waitFor(() => media.eventsOf('evt.media.transcript.edited.v1', place.run.fileId)[1]);
    const text = JSON.stringify([replies, edited.body, undone.body, media.messages]);
    expect(foundIn(text, canaries)).toEqual([]);
    expect(
      await leaksOf('editor', tested.find((route) => route.path.endsWith('/segments')) as RouteDef, canaries),
    ).toEqual([]);
  });
});

describe('text that was not scanned', () => {
  // Only reads: an edit would have the text scanned.
  const reads = matrix.filter(([, , { method }]) => method === 'GET');

  beforeAll(async () => {
    // A scan that is still requested would find the text again.
    await Promise.all([place.run.fileId, place.imported].map(untilScanned));
    await media.query(
      `update transcript_segment set redaction_key = 'old:' || md5(text), redactions = '[]'
       where media_file_id = any($1::uuid[])`,
      [place.run.fileId, place.imported],
    );
    const aged = (column: string): string =>
      `${column} = regexp_replace(${column}::text, '("redactionKey": ")[^:"]*:', '\\1old:', 'g')::jsonb`;
    await media.query(
      `update transcript_operation set ${aged('before')}, ${aged('after')} where media_file_id = $1`,
      place.run.fileId,
    );
  });

  it.each(reads)('does not leak to %s through %s', async (reader, _, route) => {
    expect(await leaksOf(reader, route, [...canaries, ordinary])).toEqual([]);
  });

  it('is in no page for the search index', async () => {
    const page = await indexer.request(mediaRpc.transcriptPage, { fileId: place.run.fileId, offset: 0, limit: 50 });
    expect(page.segments.every(({ text, words }) => text === '' && words.length === 0)).toBe(true);
  });

  it('is in no page for summaries and other insights', async () => {
    const request = { fileId: place.run.fileId, offset: 0, limit: 50 };
    const page = await insights.request(mediaInsightsRpc.transcript, request);
    expect(page).toMatchObject({ segments: [], withheld: true });
  });
});

describe('the policy', () => {
  it.each(Object.entries(readers).filter(([, { role }]) => !roleAtLeast(role, 'super_admin')))(
    'cannot be changed by %s',
    async (_, person) => {
      const answer = await media.json(person, 'PUT', '/api/admin/redaction-policy', { masked_kinds: [] });
      expect(answer).toMatchObject({ status: 403, body: { code: 'role_required' } });
    },
  );
});
