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
import { jobLimitMs, until } from './until.ts';

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

export type Updates = ReturnType<typeof createUpdates>;

/** Updates an instance of a clone with releases, under load. */
export function createUpdates(
  { scripted, recordings, releases }: UpdatedContext,
  { perSecond, files }: { perSecond: number; files: number },
) {
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
    // All checks together may take longer than an access token is valid.
    api = await signIn(instance.baseUrl, admin.email, admin.password);
    const sent: string[] = [];
    for (let i = 0; i < files; i++) sent.push(await send());
    const load = startPacedLoad(api, requestAt, perSecond);
    const channel = keepConnected(instance, api);
    const startedAt = Date.now();
    try {
      await work();
    } finally {
      await load.stop();
    }
    const seconds = (Date.now() - startedAt) / 1000;
    log(
      `${seconds.toFixed(0)} s, ${load.requestCount} requests (${(load.requestCount / seconds).toFixed(0)}/s), sockets closed: ${channel.codes.join(', ')}`,
    );
    assert.deepEqual(load.failures.slice(0, 5), [], `${load.failures.length} requests failed`);
    await until(
      'the push channel has the last change',
      async () => {
        await api.send('PUT', `/api/files/${referenceId}`, { title: `Written at ${Date.now()}` });
        await sleep(500);
        return channel.hasReceived(referenceId);
      },
      jobLimitMs,
    );
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

  /** Starts the first release with the recordings that the load reads and changes. */
  const start = async (): Promise<void> => {
    const fresh = await scripted.get();
    ({ instance } = fresh);
    made = await releases();
    await waitUntilReady(instance);
    api = await signIn(instance.baseUrl, admin.email, admin.password);
    ledger = await openLedger(instance);
    await fresh.setEngine(0);
    referenceId = await send();
    for (let i = 0; i < perSecond / 5; i++) changedIds.push(await send());
    await allFinished(ledger, [referenceId, ...changedIds], 240_000);
    await fresh.setEngine((2 * 3600) / recordings.brief.duration);
  };

  return {
    limitMs,
    start,
    run,
    underLoad,
    killedAt,
    version,
    /** What `./overtone version` says is pinned. */
    pinned: async (): Promise<unknown> => {
      const { output } = await overtone(['version', '--json'], env, limitMs, launcher());
      return (JSON.parse(output) as { pinned: unknown }).pinned;
    },
    instance: (): Instance => instance,
    releases: (): Releases => made,
    close: async (): Promise<void> => {
      await scripted.resetEngine();
      await ledger?.close();
    },
  };
}
