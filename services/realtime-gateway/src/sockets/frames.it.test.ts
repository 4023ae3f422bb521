import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, it } from '@jest/globals';
import { WebSocket, WebSocketServer } from 'ws';
import { textFrame } from './frames.ts';

const server = createServer();
const sockets = new WebSocketServer({ noServer: true });
const texts = [0, 1, 125, 126, 65_535, 65_536, 200_000].map((bytes) => 'x'.repeat(bytes)).concat('ä€🎙'.repeat(60));

server.on('upgrade', (req, raw, head) =>
  sockets.handleUpgrade(req, raw, head, () => {
    for (const text of texts) raw.write(textFrame(text));
  }),
);
server.listen(0, '127.0.0.1');
await once(server, 'listening');
afterAll(() => {
  for (const ws of sockets.clients) ws.terminate();
  server.close();
});

it('writes frames of any length that a WebSocket client reads unchanged', async () => {
  const ws = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const read: string[] = [];
  await new Promise<void>((resolve, reject) => {
    ws.on('error', reject);
    ws.on('message', (data) => read.push((data as Buffer).toString()) === texts.length && resolve());
  });
  expect(read).toEqual(texts);
  ws.terminate();
});
