// A stand-in for the platform while one works on screens: no audio is transcribed, nothing is stored.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import type {
  AnswerOf,
  dispatcherRoutes,
  identityRoutes,
  mediaRoutes,
  searchRoutes,
  SegmentObject,
} from '@overtone/contracts';
import { identityMock } from './mock-identity.ts';
import { json, Refusal, type Context, type MockRoute } from './mock-kit.ts';
import { sendTone } from './mock-media.ts';
import { mockStages, operationsMock } from './mock-operations.ts';
import { createMockSocket } from './mock-socket.ts';
import { makeFile, sampleFiles, type SampleFile } from './sample.ts';

const port = Number(process.argv[2] ?? 8080);
const dist = join(import.meta.dirname, '../dist');
const me: AnswerOf<typeof identityRoutes.me> = {
  uuid: randomUUID(),
  email: 'admin@example.org',
  full_name: 'Ada Admin',
  role: 'super_admin',
  auth_type: 'local',
  is_active: true,
  approval_status: 'approved',
  allow_local_fallback: true,
  must_change_password: false,
  password_changed_at: null,
  account_expires_at: null,
  approved_at: null,
  ldap_uid: null,
  oidc_subject: null,
  pki_subject_dn: null,
  last_login_at: new Date().toISOString(),
  created_at: new Date().toISOString(),
  updated_at: new Date().toISOString(),
};
const files: SampleFile[] = process.argv.includes('--empty') ? [] : sampleFiles();
const socket = createMockSocket(me.uuid);
const uploads = new Map<string, { size: number; offset: number; title: string; anyway: boolean }>();
const stages = ['prepare', 'transcribe', 'diarize', 'assemble', 'index'] as const;

const fileOf = (uuid: string | undefined): SampleFile => {
  const file = files.find((f) => f.uuid === uuid);
  if (!file) throw new Refusal(404, 'not_found', 'There is no such recording.');
  return file;
};
const changed = (file: SampleFile): void =>
  socket.push({ type: 'file_updated', seq: socket.nextSeq(), data: { file_id: file.uuid, status: file.status } });

const listFiles = ({ url }: Context): AnswerOf<typeof mediaRoutes.listFiles> => {
  const text = url.searchParams.get('search')?.toLowerCase() ?? '';
  const wanted = url.searchParams.getAll('status');
  const items = files.filter(
    (f) => f.title.toLowerCase().includes(text) && (wanted.length === 0 || wanted.includes(f.status)),
  );
  return { items, total: items.length, page: 1, page_size: 24 };
};
const segmentsOf = ({ url, parts }: Context): AnswerOf<typeof mediaRoutes.listSegments> => {
  const file = fileOf(parts[2]);
  const offset = Number(url.searchParams.get('segment_offset') ?? 0);
  const limit = Number(url.searchParams.get('segment_limit') ?? 500);
  return {
    transcript_segments: file.transcript_segments.slice(offset, offset + limit),
    total_segments: file.total_segments,
    transcript_version: file.transcript_version,
  };
};
const editSegment = (c: Context): SegmentObject => {
  const file = fileOf(c.parts[2]);
  const change = json<{ text?: string; speaker_uuid?: string; version?: number }>(c);
  const at = file.transcript_segments.findIndex((s) => s.uuid === c.parts[5]);
  const before = file.transcript_segments[at];
  if (!before) throw new Refusal(404, 'not_found', 'There is no such passage.');
  if (change.version !== undefined && change.version !== before.version)
    throw new Refusal(409, 'version_conflict', 'The passage has been changed since.');
  const speaker =
    change.speaker_uuid === undefined
      ? before.speaker
      : (file.speakers.find((s) => s.uuid === change.speaker_uuid) ?? null);
  const next = { ...before, text: change.text ?? before.text, speaker, edited: true, version: before.version + 1 };
  file.transcript_segments[at] = next;
  file.transcript_version += 1;
  socket.push({
    type: 'transcript_updated',
    seq: socket.nextSeq(),
    data: { file_id: file.uuid, transcript_version: file.transcript_version },
  });
  return next;
};
const search = ({ url }: Context): AnswerOf<typeof searchRoutes.search> => {
  const query = url.searchParams.get('q') ?? '';
  const results = files.flatMap((file) => {
    const hits = file.transcript_segments.filter((s) => s.text.toLowerCase().includes(query.toLowerCase()));
    if (hits.length === 0) return [];
    return [
      {
        file_uuid: file.uuid,
        title: file.title,
        speakers: [],
        tags: file.tags.map((t) => t.name),
        upload_time: file.upload_time,
        duration: file.duration,
        language: 'en',
        content_type: file.content_type,
        relevance_score: 1,
        occurrences: hits.slice(0, 3).map((s) => ({
          snippet: s.text.replaceAll('&', '&amp;').replaceAll(new RegExp(query, 'gi'), (m) => `<mark>${m}</mark>`),
          speaker: s.speaker?.display_name ?? s.speaker?.name ?? null,
          start_time: s.start_time,
          end_time: s.end_time,
          score: 1,
          match_type: 'keyword' as const,
        })),
        total_occurrences: hits.length,
        semantic_only: false,
      },
    ];
  });
  const total_results = results.reduce((n, r) => n + r.total_occurrences, 0);
  return {
    query,
    results,
    total_results,
    total_files: results.length,
    page: 1,
    page_size: 10,
    search_time_ms: 4.2,
    search_mode: 'hybrid',
    legs: { keyword: 'ok', semantic: 'unavailable' },
  };
};
const timeline = ({ parts }: Context): AnswerOf<typeof dispatcherRoutes.fileTimeline> => {
  const file = fileOf(parts[3]);
  const at = file.stage === null ? stages.length : stages.indexOf(file.stage);
  return {
    run_id: randomUUID(),
    status: file.status === 'completed' ? 'completed' : file.status === 'error' ? 'failed' : 'running',
    waiting_for: file.waiting_for,
    audio_duration_s: file.duration,
    paused_reason: null,
    created_at: new Date(Date.now() - 402_000).toISOString(),
    completed_at: file.stage === null ? new Date(Date.now() - 25_000).toISOString() : null,
    stages: mockStages(at, stages),
  };
};
const tus = ({ request, response, parts, body }: Context): null => {
  const id = parts[3];
  const upload = id === undefined ? undefined : uploads.get(id);
  response.setHeader('tus-resumable', '1.0.0');
  if (request.method === 'POST') {
    const made = randomUUID();
    const meta = Object.fromEntries(
      String(request.headers['upload-metadata'])
        .split(',')
        .map((pair) => pair.split(' ') as [string, string]),
    );
    const title = Buffer.from(meta['title'] ?? meta['filename'] ?? '', 'base64').toString();
    uploads.set(made, {
      size: Number(request.headers['upload-length']),
      offset: 0,
      title,
      anyway: 'allow_duplicate' in meta,
    });
    response.writeHead(201, { location: `/api/files/tus/${made}` });
  } else if (!upload) throw new Refusal(404, 'not_found', 'There is no such upload.');
  else if (request.method === 'HEAD')
    response.writeHead(200, {
      'upload-offset': upload.offset,
      'upload-length': upload.size,
      'cache-control': 'no-store',
    });
  else if (request.method === 'PATCH') {
    upload.offset += body.length;
    response.setHeader('upload-offset', upload.offset);
    if (upload.offset >= upload.size) {
      const same = files.find((f) => f.title === upload.title);
      if (same && !upload.anyway)
        throw new Refusal(422, 'duplicate_file', 'You have this recording already.', {
          duplicate_file_uuid: same.uuid,
        });
      const file = makeFile(upload.title, 'uploaded', 0, {
        uuid: id as string,
        display_status: 'Waiting for its turn',
      });
      files.unshift(file);
      socket.push({ type: 'file_created', seq: socket.nextSeq(), data: { file_id: file.uuid } });
    }
    response.writeHead(204);
  } else {
    uploads.delete(id as string);
    response.writeHead(204);
  }
  response.end();
  return null;
};

const shares: AnswerOf<typeof mediaRoutes.listShares> = [];
const shareFile = (c: Context) => {
  const wanted = json<{ group_uuid?: string; user_uuid?: string; permission: 'viewer' | 'editor' }>(c);
  const there = shares.find(
    (s) => s.user_uuid === (wanted.user_uuid ?? null) && s.group_uuid === (wanted.group_uuid ?? null),
  );
  if (there) return Object.assign(there, { permission: wanted.permission });
  const share = {
    uuid: randomUUID(),
    group_uuid: wanted.group_uuid ?? null,
    user_uuid: wanted.user_uuid ?? null,
    user_name: wanted.user_uuid === undefined ? null : 'Ines Albrecht',
    permission: wanted.permission,
    shared_by: me.uuid,
    created_at: new Date().toISOString(),
  };
  shares.push(share);
  return share;
};

const routes: readonly MockRoute[] = [
  ...identityMock(me),
  [
    'POST',
    /^\/api\/auth\/token$/,
    (c) => {
      if (!c.body.toString().includes('password=overtone'))
        throw new Refusal(401, 'invalid_credentials', 'Could not validate credentials');
      c.response.setHeader('set-cookie', ['csrf_token=abc; Path=/', 'access_token=dev; Path=/; HttpOnly']);
      return { access_token: 'a', token_type: 'bearer', refresh_token: 'r', expires_in: 900 };
    },
  ],
  [
    'POST',
    /^\/api\/auth\/token\/refresh$/,
    () => ({ access_token: 'a', token_type: 'bearer', refresh_token: 'r', expires_in: 900 }),
  ],
  [
    'POST',
    /^\/api\/auth\/logout/,
    (c) => {
      c.response.setHeader('set-cookie', ['csrf_token=; Path=/; Max-Age=0', 'access_token=; Path=/; Max-Age=0']);
      return { message: 'Signed out', sessions_revoked: 1 };
    },
  ],
  ['GET', /^\/api\/users\/me$/, () => me],
  ['PUT', /^\/api\/users\/me$/, (c) => Object.assign(me, json(c))],
  [
    'GET',
    /^\/api\/auth\/sessions$/,
    () => ({
      total: 2,
      sessions: [true, false].map((current) => ({
        uuid: randomUUID(),
        created_at: me.created_at,
        expires_at: me.created_at,
        last_used_at: me.created_at,
        ip_address: '127.0.0.1',
        user_agent: current ? 'Mozilla/5.0 (X11; Linux x86_64) Chrome/150 Safari/537' : 'curl/8',
        current,
      })),
    }),
  ],
  ['GET', /^\/api\/files\/upload-limits$/, () => ({ max_bytes: 17_179_869_184, accept: ['audio/*', 'video/*'] })],
  ['POST', /^\/api\/files\/tus$/, tus],
  ['HEAD', /^\/api\/files\/tus\//, tus],
  ['PATCH', /^\/api\/files\/tus\//, tus],
  ['DELETE', /^\/api\/files\/tus\//, tus],
  ['GET', /^\/api\/files$/, listFiles],
  ['GET', /^\/api\/files\/[^/]+$/, (c) => ({ ...fileOf(c.parts[2]), transcript_segments: [] })],
  ['PUT', /^\/api\/files\/[^/]+$/, (c) => Object.assign(fileOf(c.parts[2]), json(c))],
  ['DELETE', /^\/api\/files\/[^/]+$/, (c) => void files.splice(files.indexOf(fileOf(c.parts[2])), 1)],
  ['GET', /\/segments$/, segmentsOf],
  ['PUT', /\/transcript\/segments\/[^/]+$/, editSegment],
  [
    'GET',
    /\/waveform$/,
    (c) => ({
      duration: fileOf(c.parts[2]).duration ?? 1,
      peaks: Array.from({ length: 1600 }, (_, i) => Math.abs(Math.sin(i / 9) * Math.sin(i / 41) * Math.sin(i * 1.7))),
    }),
  ],
  ['GET', /\/content$/, (c) => (sendTone(c.request, c.response, fileOf(c.parts[2]).duration ?? 10), null)],
  [
    'GET',
    /\/subtitles$/,
    (c) => (
      c.response.end(
        fileOf(c.parts[2])
          .transcript_segments.map((s) => s.text)
          .join('\n'),
      ),
      null
    ),
  ],
  [
    'POST',
    /^\/api\/files\/[^/]+\/(reprocess|cancel)$/,
    (c) => {
      const file = fileOf(c.parts[2]);
      Object.assign(
        file,
        c.parts[3] === 'cancel'
          ? { status: 'cancelled', display_status: 'Stopped' }
          : { status: 'transcribing', stage: 'prepare', error: null },
      );
      changed(file);
      return file;
    },
  ],
  ['GET', /^\/api\/files\/[^/]+\/shares$/, () => shares],
  ['PUT', /^\/api\/files\/[^/]+\/shares$/, shareFile],
  [
    'DELETE',
    /^\/api\/files\/[^/]+\/shares\/[^/]+$/,
    (c) =>
      void shares.splice(
        shares.findIndex((s) => s.uuid === c.parts[4]),
        1,
      ),
  ],
  ['GET', /^\/api\/tasks\/files\//, timeline],
  ...operationsMock,
  [
    'GET',
    /^\/api\/tags$/,
    () => [
      { uuid: randomUUID(), name: 'Board', source: 'manual', usage_count: 3 },
      { uuid: randomUUID(), name: 'Harbour', source: 'manual', usage_count: 1 },
    ],
  ],
  [
    'POST',
    /^\/api\/tags\/files\//,
    (c) => {
      const tag = { uuid: randomUUID(), name: json<{ name: string }>(c).name, source: 'manual' as const };
      fileOf(c.parts[3]).tags.push(tag);
      return tag;
    },
  ],
  [
    'DELETE',
    /^\/api\/tags\/files\//,
    (c) => {
      const file = fileOf(c.parts[3]);
      file.tags = file.tags.filter((t) => t.name !== decodeURIComponent(c.parts[5] ?? ''));
    },
  ],
  [
    'PUT',
    /^\/api\/speakers\/[^/]+$/,
    (c) => Object.assign(files.flatMap((f) => f.speakers).find((s) => s.uuid === c.parts[2]) ?? {}, json(c)),
  ],
  ['GET', /^\/api\/search$/, search],
  [
    'GET',
    /^\/api\/search\/index-health$/,
    () => ({ status: 'green', backend: 'lancedb', chunks: 812, files: 3, keyword_only_files: 0, error: null }),
  ],
  [
    'GET',
    /^\/api\/search\/reindex\/status$/,
    () => ({
      in_progress: false,
      total_files: 3,
      indexed_files: 3,
      failed_files: 0,
      model: 'wink',
      last_completed_at: null,
    }),
  ],
  [
    'GET',
    /^\/api\/admin\/engines$/,
    () => ({
      workers: [
        {
          id: 'worker-1',
          service: 'transcription-worker',
          pulls: ['cpu-media', 'gpu-transcription'],
          engine: { provider: 'pocketsphinx', model: 'en-us', timing: 'engine' },
          note: null,
          gpu: {
            devices: [{ index: 0, uuid: 'GPU-1', name: 'NVIDIA A10', memory_mib: 23_028, capability: 8.6 }],
            note: null,
            concurrency: 1,
            pool: 'prefork',
            tuning: null,
          },
        },
      ],
    }),
  ],
  ['GET', /^\/api\/admin\/gpu-profiles$/, () => ({ enabled: false, message: 'off', summary: [], recent: [] })],
];

const types: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};
const policy =
  "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' blob: data:; media-src 'self' blob:; connect-src 'self' ws: wss:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'";

const sendPage = async (path: string, response: ServerResponse): Promise<void> => {
  const name = extname(path) === '' ? '/index.html' : normalize(path);
  const body = await readFile(join(dist, name)).catch(() => null);
  response.writeHead(body ? 200 : 404, {
    'content-type': types[extname(name)] ?? 'text/plain',
    'content-security-policy': policy,
  });
  response.end(body ?? 'not built: run the build first');
};
const problemOf = (refusal: Refusal): string =>
  JSON.stringify({
    type: 'about:blank',
    title: refusal.code,
    status: refusal.status,
    code: refusal.code,
    detail: refusal.message,
    request_id: randomUUID(),
    ...refusal.more,
  });

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const url = new URL(request.url ?? '/', 'http://mock');
  if (!url.pathname.startsWith('/api')) return sendPage(url.pathname, response);
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const parts = url.pathname.split('/').slice(1);
  try {
    const signedIn = (request.headers.cookie ?? '').includes('access_token=dev');
    if (!signedIn && !/^\/api\/auth\/(token|methods|register|password-policy|oidc|pki|proxy)/.test(url.pathname))
      throw new Refusal(401, 'unauthenticated', 'Could not validate credentials');
    const route = routes.find(([method, pattern]) => method === request.method && pattern.test(url.pathname));
    if (!route) throw new Refusal(404, 'not_found', 'The mock has no such route.');
    const result = route[2]({ request, response, url, parts, body: Buffer.concat(chunks) });
    if (result === null) return;
    response.writeHead(result === undefined ? 204 : 200, { 'content-type': 'application/json' });
    response.end(result === undefined ? undefined : JSON.stringify(result));
  } catch (error) {
    const refusal = error instanceof Refusal ? error : new Refusal(500, 'internal', String(error));
    response.writeHead(refusal.status, { 'content-type': 'application/problem+json' });
    response.end(problemOf(refusal));
  }
};

// A page that goes away in the middle of a request is nothing to fall over.
const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
server.on('upgrade', (request, connection) => socket.accept(request, connection));
server.listen(port, '127.0.0.1', () =>
  process.stdout.write(`Mock at http://127.0.0.1:${port} (any name, password "overtone")\n`),
);

let percent = 12;
setInterval(() => {
  percent = percent >= 96 ? 4 : percent + 0.7;
  for (const file of files.filter((f) => f.status === 'transcribing')) {
    socket.push({
      type: 'transcription_status',
      data: {
        file_id: file.uuid,
        stage: 'transcribe',
        progress: percent,
        message: 'Transcribing',
        eta_seconds: (100 - percent) * 4,
      },
    });
  }
}, 500);
