import assert from 'node:assert/strict';
import { io } from 'socket.io-client';
import { signIn, type Client } from './client.ts';
import type { Context } from './context.ts';
import { admin } from './instance.ts';
import { listen, type Heard, type Listener } from './push-client.ts';
import { until, type Suite } from './runner.ts';

const statusesOf = (heard: Heard[], fileId: string): string[] =>
  heard.flatMap(({ message: m }) => (m.type === 'file_updated' && m.data.file_id === fileId ? [m.data.status] : []));
const assertCoalesced = (heard: Heard[], fileId: string): void => {
  const times = heard
    .filter(({ message: m }) => m.type === 'transcription_status' && m.data.file_id === fileId)
    .map((h) => h.at);
  assert.ok(times.length >= 2, `only ${times.length} progress messages`);
  // On the way, and in this process, messages wait for each other: judged is the whole, and the first may be late.
  const lateMs = 2_000;
  const span = Math.max(...times) - Math.min(...times);
  assert.ok(times.length <= 2 + (span + lateMs) / 250, `${times.length} progress messages within ${span} ms`);
};

export const push = ({ instance, recordings }: Context): Suite => {
  let api: Client;
  let fileId = '';
  let plain: Listener;
  const again = { allow_duplicate: 'true' };
  return {
    name: 'The push channel',
    checks: [
      {
        rule: 'a plain WebSocket and socket.io both hear a file from upload to completion',
        vital: true,
        run: async () => {
          api = await signIn(instance.baseUrl, admin.email, admin.password);
          plain = await listen(instance.baseUrl, api.token);
          const events: { type: string; data: { file_id?: string; status?: string } }[] = [];
          const socket = io(instance.baseUrl, {
            path: '/api/ws',
            auth: { token: api.token },
            transports: ['websocket'],
          });
          socket.onAny((type: string, data: { type?: string; data?: object }) =>
            events.push({ type: data.type ?? type, data: data.data ?? data }),
          );
          await until('socket.io connects', async () => socket.connected);
          fileId = (await api.upload(recordings.cooking.path, again)).body.uuid;
          await api.completed(fileId, 600_000);
          await until('the plain socket hears of it', async () =>
            statusesOf(plain.heard, fileId).includes('completed'),
          );
          await until('socket.io hears of it', async () =>
            events.some((e) => e.data.file_id === fileId && e.data.status === 'completed'),
          );
          socket.disconnect();
          assert.ok(plain.heard.some((h) => h.message.type === 'file_created' && h.message.data.file_id === fileId));
        },
        limitMs: 620_000,
      },
      {
        rule: 'progress comes at most four times a second',
        run: async () => assertCoalesced(plain.heard, fileId),
      },
      {
        rule: 'a socket that returns with the last number it saw has missed nothing',
        run: async () => {
          const since = plain.lastSeq();
          plain.close();
          await plain.closed;
          const tag = await api.send<{ name: string }>('POST', `/api/tags/files/${fileId}/tags`, {
            name: 'while away',
          });
          assert.equal(tag.name, 'while away');
          await api.send('PUT', `/api/files/${fileId}`, { title: 'Renamed while away' });
          const back = await listen(instance.baseUrl, api.token, since);
          await until('the missed message', async () => statusesOf(back.heard, fileId).length > 0);
          const seqs = back.heard.flatMap(({ message: m }) => ('seq' in m ? [m.seq] : []));
          assert.ok(
            seqs.every((s) => s > since),
            `numbers ${seqs.join()} after ${since}`,
          );
          back.close();
        },
      },
      {
        rule: 'a socket of a revoked session is closed, and its token is dead',
        run: async () => {
          const other = await signIn(instance.baseUrl, admin.email, admin.password);
          const socket = await listen(instance.baseUrl, other.token);
          await other.ok('POST', '/api/auth/logout', { body: '{}', headers: { 'content-type': 'application/json' } });
          assert.equal(await socket.closed, 4004);
          assert.equal((await other.call('GET', '/api/users/me')).status, 401);
        },
      },
      {
        rule: 'a socket without a session, with a bad token or with a bad frame is closed with its own code',
        run: async () => {
          const closeCodeAfter = (frame: string) =>
            new Promise<number>((done) => {
              const socket = new WebSocket(`${instance.baseUrl.replace('http', 'ws')}/api/ws`);
              socket.addEventListener('open', () => socket.send(frame));
              socket.addEventListener('close', (e) => done(e.code));
            });
          assert.equal(await closeCodeAfter('{"type":"authenticate","token":"forged"}'), 4003);
          assert.equal(await closeCodeAfter('this is not JSON'), 4002);
        },
      },
    ],
  };
};
