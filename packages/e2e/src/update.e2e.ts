import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { signIn, type Client } from './client.ts';
import type { UpdatedContext } from './context.ts';
import { admin, overtone, type Instance, type Ran } from './instance.ts';
import { allFinished, openLedger, type Ledger } from './ledger.ts';
import { startPacedLoad } from './load.ts';
import { openPushClient } from './push-client.ts';
import type { Releases } from './releases.ts';
import { requestsOn } from './rolling.e2e.ts';
import { createCopy, uploadWithRetry, waitUntilReady } from './scripted.ts';
import type { Suite } from './suite.ts';
import { until } from './until.ts';

const perSecond = 50;
const filesPerCheck = 3;
const changedFiles = 10;
const limitMs = 1_500_000;
/** A slow machine needs longer to start a service; a broken one is waited for as long. */
const env = { OT_UPDATE_READY_SECONDS: '90' };

/** Keeps a push channel open: reconnects when a service is replaced. @returns the codes it was closed with. */
function keepConnected(instance: Instance, api: Client) {
  const codes: number[] = [];
  let isStopped = false;
  let since: number | undefined;
  let current: Awaited<ReturnType<typeof openPushClient>> | undefined;
  const received = new Set<string>();
  const collect = (): void =>
    current?.received.forEach(({ message }) => message.type === 'file_updated' && received.add(message.data.file_id));
  const connected = (async () => {
    while (!isStopped) {
      current = await until(
        'the push channel is open',
        () => openPushClient(instance.baseUrl, api.token, since),
        60_000,
      );
      const code = await current.closed;
      collect();
      since = current.lastSeq();
      if (!isStopped) codes.push(code);
    }
  })();
  return {
    codes,
    hasReceived: (fileId: string): boolean => {
      collect();
      return received.has(fileId);
    },
    stop: async () => {
      isStopped = true;
      current?.close();
      await connected;
    },
  };
}

export function updating({ scripted, recordings, releases }: UpdatedContext): Suite {
  let instance: Instance;
  let api: Client;
  let ledger: Ledger;
  let made: Releases;
  let referenceId = '';
  const changedIds: string[] = [];
  let number = 30_000 - 1;
  const launcher = (): string => join(made.home, 'overtone');
  const run = (args: string[]): Promise<Ran> => overtone([...args, '--data', instance.data], env, limitMs, launcher());
  const send = async (): Promise<string> =>
    uploadWithRetry(api, await createCopy(recordings.brief.path, recordings.folder, (number -= 1)));
  // Of ten requests one changes a file, and one adds a tag. Different files: changes of one file wait for its row lock, each
  // with a connection of its own, and on a slow machine some of them wait until the time limit of their transaction.
  const requestAt = (turn: number) => {
    if (turn % 10 === 9) return { method: 'POST', path: '/api/tags', body: { name: `Tag ${turn}` } };
    const requests = requestsOn(changedIds[Math.floor(turn / 10) % changedIds.length]!);
    return requests[turn % 10 === 8 ? requests.length - 1 : turn % (requests.length - 1)]!;
  };
  const version = async (): Promise<string> => (await api.ok<{ version: string }>('GET', '/api/version')).version;

  /** Runs work under load, and proves that no request, no job and no event was lost. */
  const underLoad = async (log: (figure: string) => void, work: () => Promise<void>): Promise<void> => {
    const sent: string[] = [];
    for (let i = 0; i < filesPerCheck; i++) sent.push(await send());
    const load = startPacedLoad(api, requestAt, perSecond);
    const channel = keepConnected(instance, api);
    const startedAt = Date.now();
    try {
      await work();
    } finally {
      await load.stop();
    }
    log(
      `${((Date.now() - startedAt) / 1000).toFixed(0)} s, ${load.requestCount} requests, sockets closed: ${channel.codes.join(', ')}`,
    );
    assert.deepEqual(load.failures.slice(0, 5), [], `${load.failures.length} requests failed`);
    await until('the push channel has the last change', async () => {
      await api.send('PUT', `/api/files/${referenceId}`, { title: `Written at ${Date.now()}` });
      await sleep(500);
      return channel.hasReceived(referenceId);
    });
    await channel.stop();
    assert.deepEqual(
      channel.codes.filter((code) => ![1001, 1012].includes(code)),
      [],
    );
    await allFinished(ledger, sent, 300_000);
    await ledger.assertOnce(sent, referenceId);
    const requeuedSql =
      'select count(*)::int as count from task where file_id = any($1::uuid[]) and (failures > 0 or infra_requeues > 0)';
    assert.deepEqual(await ledger.ask.dispatcher(requeuedSql, [sent]), [{ count: 0 }], 'a job was interrupted');
  };

  /** Starts an update and kills it, with everything that it started itself, when its output contains the text. */
  const killedAt = async (text: string, args: string[]): Promise<void> => {
    const child = spawn(launcher(), [...args, '--data', instance.data], {
      env: { ...process.env, ...env },
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (bytes: Buffer) => {
      output += bytes.toString();
      if (output.includes(text)) process.kill(-child.pid!, 'SIGKILL');
    });
    await once(child, 'exit');
    assert.ok(output.includes(text), output);
  };

  return {
    name: 'Update',
    checks: [
      {
        rule: 'undisturbed recordings are finished by the first release',
        limitMs,
        run: async () => {
          const fresh = await scripted.get();
          ({ instance } = fresh);
          made = await releases();
          await waitUntilReady(instance);
          api = await signIn(instance.baseUrl, admin.email, admin.password);
          ledger = await openLedger(instance);
          await fresh.setEngine(0);
          referenceId = await send();
          for (let i = 0; i < changedFiles; i++) changedIds.push(await send());
          await allFinished(ledger, [referenceId, ...changedIds], 240_000);
          await fresh.setEngine((2 * 3600) / recordings.brief.duration);
        },
      },
      {
        rule: 'a killed update and its repetition lose no request and no job',
        limitMs,
        run: async (log) =>
          await underLoad(log, async () => {
            const args = ['update', '--version', `v${made.next}`];
            await killedAt('the supervisor is replaced', args);
            const { code, output } = await run(args);
            assert.equal(code, 0, output);
            assert.equal(await version(), made.next);
          }),
      },
      {
        rule: 'an update whose service is never ready replaces nothing',
        limitMs,
        run: async (log) =>
          await underLoad(log, async () => {
            const before = (await instance.status()).services.map(({ pid }) => pid);
            const { code, output } = await run(['update', '--version', made.failing]);
            assert.equal(code, 1, output);
            assert.match(output, /Nothing was replaced: search-indexer was not ready/);
            assert.deepEqual(
              (await instance.status()).services.map(({ pid }) => pid),
              before,
            );
          }),
      },
      {
        rule: 'an update that fails after it replaced services goes back by itself',
        limitMs,
        run: async (log) =>
          await underLoad(log, async () => {
            const { code, output } = await run(['update', '--version', made.breaking]);
            assert.equal(code, 1, output);
            assert.match(output, new RegExp(`${made.breaking} could not take over; ${made.next} runs again`));
            assert.equal(await version(), made.next);
          }),
      },
      {
        rule: 'a rollback loses no request and no job',
        limitMs,
        run: async (log) =>
          await underLoad(log, async () => {
            const { code, output } = await run(['update', '--rollback']);
            assert.equal(code, 0, output);
            assert.equal(await version(), made.first);
          }),
      },
      {
        rule: 'an update of a stopped instance is taken at its next start',
        limitMs,
        run: async () => {
          await instance.down();
          const { code, output } = await run(['update', '--version', made.next]);
          assert.equal(code, 0, output);
          const started = await instance.up();
          assert.equal(started.code, 0, started.output);
          assert.equal(await version(), made.next);
        },
      },
    ],
    close: async () => {
      await scripted.resetEngine();
      await ledger?.close();
    },
  };
}
