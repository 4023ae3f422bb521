import { request } from 'node:http';
import { until } from './until.ts';

/** Time and manner of the end of a connection. */
type ConnectionEnd = { at: number; how: string };

/** Opens an authenticated push socket. */
export async function openSocket(baseUrl: string, token: string): Promise<{ ended: Promise<ConnectionEnd> }> {
  const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/api/ws`);
  const ended = new Promise<ConnectionEnd>((resolve) =>
    socket.addEventListener('close', ({ code }) => resolve({ at: Date.now(), how: `closed with ${code}` })),
  );
  let isAuthenticated = false;
  socket.addEventListener('message', () => (isAuthenticated = true));
  socket.addEventListener('open', () => socket.send(JSON.stringify({ type: 'authenticate', token })));
  await until('the socket is authenticated', async () => isAuthenticated, 60_000);
  return { ended };
}

/** Starts a download and reads it slowly. */
export function startDownload(url: string, token: string): Promise<{ ended: Promise<ConnectionEnd> }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers: { authorization: `Bearer ${token}` }, agent: false }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`the download answered ${response.statusCode ?? 0}`));
      const ended = new Promise<ConnectionEnd>((resolveEnd) => {
        response.on('close', () => resolveEnd({ at: Date.now(), how: response.complete ? 'complete' : 'cut off' }));
      });
      response.on('error', () => {});
      response.on('data', () => {
        resolve({ ended });
        response.pause();
        setTimeout(() => response.resume(), 20);
      });
    });
    sent.on('error', reject).end();
  });
}

/** The end of a connection, or `still open` after 30 seconds. */
export function waitForEnd(ended: Promise<ConnectionEnd>): Promise<ConnectionEnd> {
  return Promise.race([
    ended,
    new Promise<ConnectionEnd>((resolve) => setTimeout(() => resolve({ at: Infinity, how: 'still open' }), 30_000)),
  ]);
}
