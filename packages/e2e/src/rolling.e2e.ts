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
import { startLoad } from './load.ts';
import { isAlive } from './processes.ts';
import { openPushClient, type PushClient } from './push-client.ts';
import type { Suite } from './suite.ts';
import { until } from './until.ts';
import { waitUntilReady, createCopy, uploadWithRetry } from './scripted.ts';
import { endsOf, services, treeOf, pidOf } from './victims.ts';

const upstreamServices = services.filter((name) => name !== 'edge-gateway');

/** One request for every service, and one that writes. */
export function requestsOn(fileId: string) {
  return [
    { method: 'GET', path: '/api/users/me' },
    { method: 'GET', path: `/api/files/${fileId}?segment_limit=10` },
    { method: 'GET', path: '/api/tasks' },
    { method: 'GET', path: '/api/search?q=report&search_mode=keyword' },
    { method: 'GET', path: '/api/admin/directory-sync' },
    { method: 'PUT', path: `/api/files/${fileId}`, body: { title: 'Written during a restart' } },
  ];
}

async function restart(instance: Instance, names: readonly string[]): Promise<void> {
  const ran = await overtone(['restart', ...names, '--data', instance.data], {}, 900_000);
  assert.equal(ran.code, 0, ran.output);
}

/** Starts a download and pauses it. `rest` reads the remainder and returns the total number of bytes. */
function heldDownload(url: string, token: string): Promise<{ rest: () => Promise<number> }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers: { authorization: `Bearer ${token}` }, agent: false }, (response) => {
      let bytes = 0;
      const ended = new Promise<number>((resolveBytes) => response.once('close', () => resolveBytes(bytes)));
      const rest = () => {
        response.on('data', (chunk: Buffer) => (bytes += chunk.length)).resume();
        return ended;
      };
      response.pause();
      resolve({ rest });
    });
    sent.on('error', reject).end();
  });
}

function isRefused(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(false));
    socket.once('error', () => resolve(true));
    socket.end();
  });
}

export function rolling({ scripted, recordings }: ScriptedContext, files: number): Suite {
  let instance: Instance;
  let api: Client;
  let ledger: Ledger;
  let referenceId = '';
  let number = 30_000 - 1;
  const sent: string[] = [];
  const send = async (): Promise<string> =>
    uploadWithRetry(api, await createCopy(recordings.brief.path, recordings.folder, (number -= 1)));

  return {
    name: 'Rolling restart of the services',
    checks: [
      {
        rule: 'an undisturbed recording is finished',
        limitMs: 240_000,
        run: async () => {
          const fresh = await scripted.get();
          ({ instance } = fresh);
          await waitUntilReady(instance);
          api = await signIn(instance.baseUrl, admin.email, admin.password);
          ledger = await openLedger(instance);
          await fresh.setEngine(0);
          referenceId = await send();
          await allFinished(ledger, [referenceId], 120_000);
          await fresh.setEngine((2 * 3600) / recordings.brief.duration);
        },
      },
      {
        rule: 'a rolling restart loses no request and no job, and every service exits with 0 and leaves no process',
        limitMs: 900_000,
        run: async (log) => {
          const trees = new Map(upstreamServices.map((name) => [name, treeOf(pidOf(instance, name))]));
          const before = new Map(
            await Promise.all(upstreamServices.map(async (name) => [name, await endsOf(instance, name)] as const)),
          );
          for (let i = 0; i < files; i++) sent.push(await send());
          const requests = startLoad(api, requestsOn(referenceId));
          await restart(instance, upstreamServices);
          await requests.stop();
          log(`${requests.requestCount} requests during the restarts`);
          assert.deepEqual(requests.failures, []);
          for (const name of upstreamServices) {
            assert.deepEqual((await endsOf(instance, name)).slice(before.get(name)?.length), ['exit code 0'], name);
            assert.deepEqual(trees.get(name)?.filter(isAlive), [], `processes of ${name}`);
          }
          const seconds = await allFinished(ledger, sent, 300_000);
          log(`${sent.length} recordings finished ${seconds.toFixed(1)} s after the last restart`);
          await ledger.assertOnce(sent, referenceId);
          await assertIndexed(api, ledger, sent, referenceId);
          const requeuedSql =
            'select count(*)::int as count from task where file_id = any($1::uuid[]) and (failures > 0 or infra_requeues > 0)';
          assert.deepEqual(
            await ledger.ask.dispatcher(requeuedSql, [sent]),
            [{ count: 0 }],
            'a requeued job counts as an attempt',
          );
        },
      },
      {
        rule: 'sockets are closed with 1012 and receive the missed events after they reconnect',
        limitMs: 240_000,
        run: async () => {
          const socket: PushClient = await openPushClient(instance.baseUrl, api.token);
          const since = socket.lastSeq();
          await restart(instance, ['realtime-gateway']);
          assert.equal(await socket.closed, 1012);
          await api.send('PUT', `/api/files/${referenceId}`, { title: 'Written while disconnected' });
          const reconnected = await openPushClient(instance.baseUrl, api.token, since);
          const hasMissedEvent = async () =>
            reconnected.received.some(
              ({ message }) => message.type === 'file_updated' && message.data.file_id === referenceId,
            );
          await until('the missed event', hasMissedEvent, 60_000);
          reconnected.close();
        },
      },
      {
        rule: 'a stopping edge completes a running download before it exits',
        limitMs: 240_000,
        run: async () => {
          const large = join(recordings.folder, 'large.wav');
          await promisify(execFile)('sox', ['-n', '-r', '16000', '-c', '1', '-b', '16', large, 'trim', '0', '1500']);
          // The file is only downloaded, so its processing time does not matter.
          await scripted.resetEngine();
          const file = await uploadWithRetry(api, large);
          const download = await heldDownload(`${instance.baseUrl}/api/files/${file}/content`, api.token);
          const restarted = restart(instance, ['edge-gateway']);
          await until('the edge refuses connections', () => isRefused(instance.port), 60_000, 10);
          assert.equal(await download.rest(), (await stat(large)).size, 'the download is incomplete');
          await restarted;
          assert.equal((await endsOf(instance, 'edge-gateway')).at(-1), 'exit code 0');
          assert.equal((await api.call('GET', '/api/users/me')).status, 200);
          await api.ok('DELETE', `/api/files/${file}`);
        },
      },
    ],
    close: async () => {
      await scripted.resetEngine();
      await ledger?.close();
    },
  };
}
