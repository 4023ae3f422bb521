import assert from 'node:assert/strict';
import { io } from 'socket.io-client';
import { signIn, type Client } from './client.ts';
import type { Context } from './context.ts';
import { admin } from './instance.ts';
import { openPushClient, type ReceivedMessage, type PushClient } from './push-client.ts';
import type { Suite } from './suite.ts';
import { jobLimitMs, until } from './until.ts';

function statusesOf(received: ReceivedMessage[], fileId: string): string[] {
  return received.flatMap(({ message }) =>
    message.type === 'file_updated' && message.data.file_id === fileId ? [message.data.status] : [],
  );
}

export function push({ instance, recordings }: Context): Suite {
  let api: Client;
  let fileId = '';
  let plain: PushClient;
  const allowDuplicate = { allow_duplicate: 'true' };
  return {
    name: 'The push channel',
    checks: [
      {
        rule: 'a plain WebSocket and socket.io both receive the messages of a file from upload to completion',
        run: async () => {
          api = await signIn(instance.baseUrl, admin.email, admin.password);
          plain = await openPushClient(instance.baseUrl, api.token);
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
          fileId = (await api.upload(recordings.cooking.path, allowDuplicate)).body.uuid;
          await api.completed(fileId, 600_000);
          await until(
            'the plain socket receives the completion',
            async () => statusesOf(plain.received, fileId).includes('completed'),
            jobLimitMs,
          );
          await until(
            'socket.io receives the completion',
            async () => events.some(({ data }) => data.file_id === fileId && data.status === 'completed'),
            jobLimitMs,
          );
          socket.disconnect();
          assert.ok(
            plain.received.some(({ message }) => message.type === 'file_created' && message.data.file_id === fileId),
          );
        },
        limitMs: 620_000,
      },
      {
        rule: 'a socket that reconnects with its last sequence number receives all missed messages',
        run: async () => {
          const since = plain.lastSeq();
          plain.close();
          await plain.closed;
          const tag = await api.send<{ name: string }>('POST', `/api/tags/files/${fileId}/tags`, {
            name: 'while away',
          });
          assert.equal(tag.name, 'while away');
          await api.send('PUT', `/api/files/${fileId}`, { title: 'Renamed while away' });
          const reconnected = await openPushClient(instance.baseUrl, api.token, since);
          await until('the missed message', async () => statusesOf(reconnected.received, fileId).length > 0);
          const seqs = reconnected.received.flatMap(({ message }) => ('seq' in message ? [message.seq] : []));
          assert.ok(
            seqs.every((seq) => seq > since),
            `sequence numbers ${seqs.join()} after ${since}`,
          );
          reconnected.close();
        },
      },
      {
        rule: 'a socket of a revoked session is closed, and its token is rejected',
        run: async () => {
          const other = await signIn(instance.baseUrl, admin.email, admin.password);
          const socket = await openPushClient(instance.baseUrl, other.token);
          await other.ok('POST', '/api/auth/logout', { body: '{}', headers: { 'content-type': 'application/json' } });
          assert.equal(await socket.closed, 4004);
          assert.equal((await other.call('GET', '/api/users/me')).status, 401);
        },
      },
    ],
  };
}
