import assert from 'node:assert/strict';
import { signIn, type Client } from './client.ts';
import type { ScriptedContext } from './context.ts';
import { admin, type Instance } from './instance.ts';
import { allFinished, openLedger, type Ledger } from './ledger.ts';
import { until, type Suite } from './runner.ts';
import { copyOf, insist } from './scripted.ts';
import { killNow } from './victims.ts';

const orphanedOnGpu = async (url: string): Promise<number> => {
  const text = await (await fetch(`${url}/metrics/queues`)).text();
  const found = /^celery_queue_orphaned\{[^}]*"gpu"[^}]*\} (\S+)$/m.exec(text);
  if (!found) throw new Error(`no celery_queue_orphaned of gpu in\n${text}`);
  return Number(found[1]);
};
const dispatcherOf = async (instance: Instance): Promise<string> =>
  String((await instance.status()).services.find((s) => s.name === 'transcription-dispatcher')?.internal_url);

/** A worker is killed in the middle of a job. */
export const orphaned = ({ scripted, recordings }: ScriptedContext): Suite => {
  let ledger: Ledger | undefined;
  return {
    name: 'A worker dies with a job in its hands',
    checks: [
      {
        rule: 'its job is shown as orphaned, goes back to its queue as no failure, and is finished by another worker',
        limitMs: 400_000,
        run: async (say) => {
          const { instance, pretend } = await scripted.get();
          const api: Client = await signIn(instance.baseUrl, admin.email, admin.password);
          const books = (ledger = await openLedger(instance));
          const dispatcher = await dispatcherOf(instance);
          // Far longer than anybody waits here: what ends it is the death of the worker.
          await pretend((600 * 3600) / recordings.brief.duration);
          const file = await insist(api, await copyOf(recordings.brief.path, recordings.folder, 20_000));
          const task = async () =>
            (await books.ask.dispatcher("select * from task where file_id = $1 and stage = 'transcribe'", [file]))[0];
          await until('it is transcribed', async () => (await task())?.['status'] === 'in_progress', 120_000);
          const failuresBefore = (await task())?.['failures'];
          await pretend(0);
          killNow(instance, 'transcription-worker');
          const from = Date.now();
          const since = (): string => ((Date.now() - from) / 1000).toFixed(1);
          await until('it is shown as orphaned', async () => (await orphanedOnGpu(dispatcher)) > 0, 120_000, 50);
          const seen = since();
          await until('it went back', async () => Number((await task())?.['infra_requeues']) > 0, 120_000, 50);
          say(`shown after ${seen} s, back in its queue after ${since()} s`);
          await allFinished(books, [file], 120_000);
          assert.equal((await task())?.['failures'], failuresBefore, 'a death is counted as a failure');
          await until('nothing is orphaned', async () => (await orphanedOnGpu(dispatcher)) === 0, 120_000);
        },
      },
    ],
    close: async () => {
      await scripted.calm();
      await ledger?.close();
    },
  };
};
