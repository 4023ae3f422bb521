import assert from 'node:assert/strict';
import { signIn, type Client } from './client.ts';
import type { ServedContext } from './context.ts';
import { admin, type Instance } from './instance.ts';
import { allFinished, assertIndexed, openLedger, type Ledger } from './ledger.ts';
import { createCopy, uploadWithRetry, waitUntilReady } from './scripted.ts';
import type { Check, Suite } from './suite.ts';
import { pidOf, servers, slowDown, treeOf } from './victims.ts';

/** Of reads, at least; they go on while recordings are uploaded. */
const rounds = 6;
/** A busy machine, and one that swaps: requests wait longer than the limits of some dependencies. */
const cyclesMs = [200, 5_000];

/** Servers that answer, but late: nothing is shown as empty, and nothing is lost or done twice. */
export function slowServers({ scripted, stores, recordings }: ServedContext): Suite {
  let instance: Instance;
  let api: Client;
  let ledger: Ledger;
  let referenceId = '';
  let number = 21_000;
  const send = async (): Promise<string> =>
    uploadWithRetry(api, await createCopy(recordings.brief.path, recordings.folder, (number -= 1)));
  const processesOfServer: Record<string, () => Promise<() => number[]>> = {
    ...Object.fromEntries(servers.map((server) => [server, async () => () => treeOf(pidOf(instance, server))])),
    'object store': async () => treeOfServer((await stores.get()).objects),
    'search server': async () => treeOfServer((await stores.get()).search),
  };

  /** What tells a complete answer from an empty one. */
  const reads = (): Record<string, RegExp> => ({
    '/api/files?page_size=100': new RegExp(referenceId),
    [`/api/files/${referenceId}`]: /"text":"[^"]+"/,
    [`/api/search?q=report&search_mode=keyword&file_uuid=${referenceId}`]: new RegExp(referenceId),
    '/api/users/me': new RegExp(admin.email),
  });

  const slow = (name: string, cycleMs: number): Check => ({
    rule: `${name} stopped for four fifths of every ${cycleMs} ms: answers are complete or say what is unavailable, and recordings are finished once`,
    limitMs: 900_000,
    run: async (log) => {
      const end = slowDown(await (processesOfServer[name] as () => Promise<() => number[]>)(), cycleMs);
      const counts = { answered: 0, unavailable: 0 };
      let sent: string[];
      try {
        let isUploading = true;
        const uploading = Promise.all([send(), send()]).finally(() => (isUploading = false));
        uploading.catch(() => undefined);
        for (let round = 0; round < rounds || isUploading; round += 1)
          for (const [path, complete] of Object.entries(reads())) {
            const response = await api.call('GET', path);
            if (response.status === 200) assert.match(response.text, complete, path);
            else assert.deepEqual([response.status, typeof codeOf(response.body)], [503, 'string'], path);
            counts[response.status === 200 ? 'answered' : 'unavailable'] += 1;
          }
        sent = await uploading;
        log(`finished ${(await allFinished(ledger, sent, 400_000)).toFixed(1)} s after the uploads`);
      } finally {
        end();
      }
      log(`${counts.answered} complete answers, ${counts.unavailable} that say what is unavailable`);
      await waitUntilReady(instance);
      await ledger.assertOnce(sent, referenceId);
      await assertIndexed(api, ledger, sent, referenceId);
    },
  });

  return {
    name: 'Slow servers',
    checks: [
      {
        rule: 'an undisturbed recording is finished',
        limitMs: 400_000,
        run: async () => {
          const fresh = await scripted.get();
          instance = fresh.instance;
          await fresh.setEngine(0);
          await waitUntilReady(instance);
          api = await signIn(instance.baseUrl, admin.email, admin.password);
          ledger = await openLedger(instance);
          referenceId = await send();
          await allFinished(ledger, [referenceId], 240_000);
        },
      },
      ...Object.keys(processesOfServer).flatMap((name) => cyclesMs.map((cycleMs) => slow(name, cycleMs))),
    ],
    close: async () => ledger?.close(),
  };
}

function treeOfServer(server: { pid: () => number }): () => number[] {
  return () => treeOf(server.pid());
}

function codeOf(body: unknown): unknown {
  return (body as { code?: unknown } | undefined)?.code;
}
