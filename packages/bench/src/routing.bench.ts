import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { clientOf, signIn } from '@overtone/e2e/client';
import { admin } from '@overtone/e2e/instance';
import { startNginx } from '@overtone/testkit/nginx';
import { alternate, type Bench } from './bench.ts';
import { sessionCheckRows } from './session-check.ts';
import { assertionOf, entranceOf, identityUrl } from './sign-in.tools.ts';
import { needTools } from './tools.ts';

const run = promisify(execFile);
const goal = 0.4;
const path = '/api/users/me';

/** Requests per second over 32 connections and one thread, so that server and generator have one core each. */
async function rate(url: string, header: string, seconds: number): Promise<number> {
  const { stdout } = await run('wrk', ['-t1', '-c32', `-d${seconds}s`, '-H', header, url]);
  if (/Non-2xx/.test(stdout)) throw new Error(`${url} refused requests:\n${stdout}`);
  const found = /Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1];
  if (!found) throw new Error(`wrk printed:\n${stdout}`);
  return Number(found);
}

/** A small authenticated GET through the edge, and through nginx to the same service. */
export const routingBench: Bench = {
  name: 'edge',
  about: 'a small authenticated GET through the edge, compared with nginx proxying to the same service',
  run: async function* ({ size, instance }) {
    needTools(['nginx', 'wrk']);
    const running = await instance();
    const api = await signIn(running.baseUrl, admin.email, admin.password);
    const upstream = `upstream identity { server ${new URL(await identityUrl(running)).host}; keepalive 64; }`;
    const nginx = await startNginx({
      server: 'location / { proxy_pass http://identity; proxy_http_version 1.1; proxy_set_header Connection ""; }',
      upstream,
    });
    try {
      const assertion = () => assertionOf(running, 'identity', api.token);
      const check = await clientOf(nginx.url, '').call('GET', path, {
        headers: { 'x-overtone-assertion': await assertion() },
      });
      if (check.status !== 200) throw new Error(`identity behind nginx: ${check.status} ${check.text}`);
      const seconds = Math.max(1, Math.round(3 * size));
      const { our, peer } = await alternate(3, {
        our: () => rate(running.baseUrl + path, `Authorization: Bearer ${api.token}`, seconds),
        peer: async () => rate(nginx.url + path, `x-overtone-assertion: ${await assertion()}`, seconds),
      });
      const ratio = our / peer;
      const entrance = await entranceOf(running);
      const fresh: string[] = [];
      for (let i = 0; i < 30; i++) fresh.push(await entrance.token(admin.email, admin.password));
      yield* [
        {
          name: 'edge: authenticated GET',
          ours: `${Math.round(our)}/s`,
          peer: `nginx ${Math.round(peer)}/s`,
          ratio,
          goal: `>= ${goal}`,
          met: ratio >= goal,
        },
        ...(await sessionCheckRows(running.baseUrl, api.token, fresh, Math.max(300, Math.round(1_500 * size)))),
      ];
    } finally {
      await nginx.stop();
    }
  },
};
