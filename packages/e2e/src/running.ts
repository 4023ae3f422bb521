import { request } from 'node:http';
import { until } from './runner.ts';

/** How and when something that ran for somebody ended. */
type Ended = { at: number; what: string };

/** A socket that is in. */
export const socketOf = async (baseUrl: string, token: string): Promise<{ over: Promise<Ended> }> => {
  const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/api/ws`);
  const over = new Promise<Ended>((done) =>
    socket.addEventListener('close', (e) => done({ at: Date.now(), what: `closed with ${e.code}` })),
  );
  let welcomed = false;
  socket.addEventListener('message', () => (welcomed = true));
  socket.addEventListener('open', () => socket.send(JSON.stringify({ type: 'authenticate', token })));
  await until('the socket is welcomed', async () => welcomed, 60_000);
  return { over };
};

/** A download that has begun and is read without haste. */
export const downloadOf = (url: string, token: string): Promise<{ over: Promise<Ended> }> =>
  new Promise((done, fail) => {
    const sent = request(url, { headers: { authorization: `Bearer ${token}` }, agent: false }, (response) => {
      if (response.statusCode !== 200) fail(new Error(`the download answered ${response.statusCode ?? 0}`));
      const over = new Promise<Ended>((end) => {
        response.on('close', () => end({ at: Date.now(), what: response.complete ? 'came whole' : 'cut off' }));
      });
      response.on('error', () => {});
      response.on('data', () => {
        done({ over });
        response.pause();
        setTimeout(() => response.resume(), 20);
      });
    });
    sent.on('error', fail).end();
  });

export const within = (over: Promise<Ended>): Promise<Ended> =>
  Promise.race([over, new Promise<Ended>((r) => setTimeout(() => r({ at: Infinity, what: 'went on' }), 15_000))]);
