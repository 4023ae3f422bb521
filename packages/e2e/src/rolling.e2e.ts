import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { signIn, type Client } from './client.ts';
import type { ScriptedContext } from './context.ts';
import { admin, overtone, type Instance } from './instance.ts';
import { allFinished, assertIndexed, openLedger, type Ledger } from './ledger.ts';
import { load } from './load.ts';
import { isAlive } from './processes.ts';
import { listen, type Listener } from './push-client.ts';
import { until, type Suite } from './runner.ts';
import { allReady, copyOf, insist } from './scripted.ts';
import { endsOf, services, treeOf, pidOf } from './victims.ts';

const behindTheEdge = services.filter((name) => name !== 'edge-gateway');

/** One request for every service, and one that writes. */
const requestsOn = (fileId: string) => [
  { method: 'GET', path: '/api/users/me' },
  { method: 'GET', path: `/api/files/${fileId}?segment_limit=10` },
  { method: 'GET', path: '/api/tasks' },
  { method: 'GET', path: '/api/search?q=report&search_mode=keyword' },
  { method: 'GET', path: '/api/admin/directory-sync' },
  { method: 'PUT', path: `/api/files/${fileId}`, body: { title: 'Written during a restart' } },
];

const restart = async (instance: Instance, names: readonly string[]): Promise<void> => {
  const ran = await overtone(['restart', ...names, '--data', instance.data], {}, 900_000);
  assert.equal(ran.code, 0, ran.output);
};

/** A download that has begun and is not read any further until `rest`, which gives how much came in all. */
const heldDownload = (url: string, token: string): Promise<{ rest: () => Promise<number> }> =>
  new Promise((done, fail) => {
    const sent = request(url, { headers: { authorization: `Bearer ${token}` }, agent: false }, (response) => {
      let bytes = 0;
      const ended = new Promise<number>((resolve) => response.once('close', () => resolve(bytes)));
      const rest = () => {
        response.on('data', (chunk: Buffer) => (bytes += chunk.length)).resume();
        return ended;
      };
      response.pause();
      done({ rest });
    });
    sent.on('error', fail).end();
  });

const refused = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(false));
    socket.once('error', () => resolve(true));
    socket.end();
  });

export const rolling = ({ scripted, recordings }: ScriptedContext, files: number): Suite => {
  let instance: Instance;
  let api: Client;
  let ledger: Ledger;
  let model = '';
  let number = 30_000 - 1;
  const sent: string[] = [];
  const send = async (): Promise<string> =>
    insist(api, await copyOf(recordings.brief.path, recordings.folder, (number -= 1)));

  return {
    name: 'Services started again one after another',
    checks: [
      {
        rule: 'a recording that nobody disturbs is finished',
        vital: true,
        limitMs: 240_000,
        run: async () => {
          const fresh = await scripted.get();
          ({ instance } = fresh);
          await allReady(instance);
          api = await signIn(instance.baseUrl, admin.email, admin.password);
          ledger = await openLedger(instance);
          await fresh.pretend(0);
          model = await send();
          await allFinished(ledger, [model], 120_000);
          await fresh.pretend((2 * 3600) / recordings.brief.duration);
        },
      },
      {
        rule: 'no request behind the edge and no job is lost, and every service ends well and leaves nothing behind',
        limitMs: 900_000,
        run: async (say) => {
          const trees = new Map(behindTheEdge.map((name) => [name, treeOf(pidOf(instance, name))]));
          const before = new Map(
            await Promise.all(behindTheEdge.map(async (n) => [n, await endsOf(instance, n)] as const)),
          );
          for (let n = 0; n < files; n++) sent.push(await send());
          const requests = load(api, requestsOn(model));
          await restart(instance, behindTheEdge);
          await requests.stop();
          say(`${requests.asked} requests during the restarts`);
          assert.deepEqual(requests.failures, []);
          for (const name of behindTheEdge) {
            assert.deepEqual((await endsOf(instance, name)).slice(before.get(name)?.length), ['exit code 0'], name);
            assert.deepEqual(trees.get(name)?.filter(isAlive), [], `processes of ${name}`);
          }
          const after = await allFinished(ledger, sent, 300_000);
          say(`${sent.length} recordings finished ${after.toFixed(1)} s after the last restart`);
          await ledger.assertOnce(sent, model);
          await assertIndexed(api, ledger, sent, model);
          const given =
            'select count(*)::int as n from task where file_id = any($1::uuid[]) and (failures > 0 or infra_requeues > 0)';
          assert.deepEqual(
            await ledger.ask.dispatcher(given, [sent]),
            [{ n: 0 }],
            'a job given back counts as an attempt',
          );
        },
      },
      {
        rule: 'sockets are told to come back, and have missed nothing when they do',
        limitMs: 240_000,
        run: async () => {
          const socket: Listener = await listen(instance.baseUrl, api.token);
          const since = socket.lastSeq();
          await restart(instance, ['realtime-gateway']);
          assert.equal(await socket.closed, 1012);
          await api.send('PUT', `/api/files/${model}`, { title: 'Written while nobody listened' });
          const back = await listen(instance.baseUrl, api.token, since);
          const told = async () =>
            back.heard.some(({ message: m }) => m.type === 'file_updated' && m.data.file_id === model);
          await until('the missed fact', told, 60_000);
          back.close();
        },
      },
      {
        rule: 'an edge that stops lets a download end first, and is there again',
        limitMs: 240_000,
        run: async () => {
          const large = join(recordings.folder, 'large.wav');
          await promisify(execFile)('sox', ['-n', '-r', '16000', '-c', '1', '-b', '16', large, 'trim', '0', '1500']);
          // It is only there to be downloaded.
          await scripted.calm();
          const file = await insist(api, large);
          const download = await heldDownload(`${instance.baseUrl}/api/files/${file}/content`, api.token);
          const restarted = restart(instance, ['edge-gateway']);
          await until('the edge takes nobody any more', () => refused(instance.port), 60_000, 10);
          assert.equal(await download.rest(), (await stat(large)).size, 'the download came short');
          await restarted;
          assert.equal((await endsOf(instance, 'edge-gateway')).at(-1), 'exit code 0');
          assert.equal((await api.call('GET', '/api/users/me')).status, 200);
          await api.ok('DELETE', `/api/files/${file}`);
        },
      },
    ],
    close: async () => {
      await scripted.calm();
      await ledger?.close();
    },
  };
};
