import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { assertionHeader } from '@overtone/service-kit';
import { newUser, startMedia, wav, type Media, type TestUser } from '../../test/start-media.ts';

let media: Media;
beforeAll(async () => {
  media = await startMedia();
});
afterAll(() => media.stop());

type Sent = { method: string; path: string; headers: Record<string, string>; body: Buffer };

/** Simulates a slow client: the body starts long after the headers. */
async function sendSlowly({ method, path, headers, body }: Sent): Promise<string> {
  const { hostname, port } = new URL(media.base);
  const socket = connect(Number(port), hostname);
  const all = { host: 'x', connection: 'close', 'content-length': String(body.length), ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const middle = Math.floor(body.length / 2);
  for (const part of [body.subarray(0, middle), body.subarray(middle)]) {
    await sleep(50);
    socket.write(part);
  }
  const answer: Buffer[] = [];
  for await (const chunk of socket) answer.push(chunk as Buffer);
  return Buffer.concat(answer).toString();
}

function request(person: TestUser) {
  const trace = randomBytes(16).toString('hex');
  const id = `slow-${trace.slice(0, 8)}`;
  const headers = {
    [assertionHeader]: media.assertion(person),
    traceparent: `00-${trace}-00f067aa0ba902b7-01`,
    'x-request-id': id,
  };
  return { trace, id, headers };
}

/** The uploaded event and the audit record; both carry the request's context. */
async function expectChangesOf(fileId: string, { trace, id }: { trace: string; id: string }): Promise<void> {
  const rows = await media.query(`select headers from media_outbox where data->>'fileId' = $1`, fileId);
  const context = { traceparent: expect.stringContaining(trace), 'ot-request-id': id, 'ot-source': 'media' };
  expect(rows).toEqual([{ headers: context }, { headers: context }]);
}

describe('a recording whose body arrives after its headers', () => {
  it('is published in the trace and request context of its upload', async () => {
    const { trace, id, headers } = request(newUser());
    const part = 'Content-Disposition: form-data; name="file"; filename="a.wav"\r\nContent-Type: audio/wav';
    const body = Buffer.concat([Buffer.from(`--b\r\n${part}\r\n\r\n`), wav(1), Buffer.from('\r\n--b--\r\n')]);
    const form = { ...headers, 'content-type': 'multipart/form-data; boundary=b' };
    const answer = await sendSlowly({ method: 'POST', path: '/api/files', headers: form, body });
    const file = /^x-file-id: (\S+)/im.exec(answer)?.[1] ?? answer;
    await expectChangesOf(file, { trace, id });
  });

  it('is published in the trace and request context of its last part', async () => {
    const ada = newUser();
    const body = wav(2);
    const tus = { 'tus-resumable': '1.0.0' };
    const created = await media.call(ada, 'POST', '/api/files/tus', {
      headers: {
        ...tus,
        'upload-length': String(body.length),
        'upload-metadata': `filename ${Buffer.from('a.wav').toString('base64')}`,
      },
    });
    const path = created.headers.get('location') ?? '';
    const { trace, id, headers } = request(ada);
    const piece = { ...headers, ...tus, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' };
    expect(await sendSlowly({ method: 'PATCH', path, headers: piece, body })).toMatch(/^HTTP\/1.1 204/);
    await expectChangesOf(path.split('/').at(-1) ?? '', { trace, id });
  });
});
