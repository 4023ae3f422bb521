// A mock of the platform for work on the interface: it transcribes no audio and stores nothing.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { filesMock } from './mock-files.ts';
import { identityMock } from './mock-identity.ts';
import { Refusal, type MockRoute } from './mock-kit.ts';
import { files, socket } from './mock-library.ts';
import { operationsMock } from './mock-operations.ts';
import { searchMock } from './mock-search.ts';
import { me, sessionMock } from './mock-session.ts';
import { sharingMock } from './mock-sharing.ts';
import { uploadsMock } from './mock-uploads.ts';

const port = Number(process.argv[2] ?? 8080);
const dist = join(import.meta.dirname, '../dist');
/** The first matching route handles a request. */
const routes: readonly MockRoute[] = [
  ...identityMock(me),
  ...sessionMock,
  ...uploadsMock,
  ...sharingMock,
  ...filesMock,
  ...operationsMock,
  ...searchMock,
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

// A page may close its connection in the middle of a request.
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
