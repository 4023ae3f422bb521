import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { signIn, type Client } from './client.ts';
import type { ScriptedContext } from './context.ts';
import { admin, type Instance } from './instance.ts';
import { allFinished, openLedger, type Ledger } from './ledger.ts';
import type { Suite } from './suite.ts';
import { jobLimitMs, until } from './until.ts';
import { createCopy, uploadWithRetry } from './scripted.ts';
import { killNow } from './victims.ts';

async function orphanedOnGpu(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics/queues`)).text();
  const found = /^celery_queue_orphaned\{[^}]*"gpu"[^}]*\} (\S+)$/m.exec(text);
  if (!found) throw new Error(`no celery_queue_orphaned of gpu in\n${text}`);
  return Number(found[1]);
}

async function dispatcherOf(instance: Instance): Promise<string> {
  return String(
    (await instance.status()).services.find(({ name }) => name === 'transcription-dispatcher')?.internal_url,
  );
}

/** A worker is killed during a job. */
export function orphaned({ scripted, recordings }: ScriptedContext): Suite {
  let ledger: Ledger | undefined;
  return {
    name: 'A worker is killed during a job',
    checks: [
      {
        rule: 'its job is reported as orphaned, requeued without a failure, and finished by another worker',
        limitMs: 400_000,
        run: async (log) => {
          const { instance, setEngine } = await scripted.get();
          const api: Client = await signIn(instance.baseUrl, admin.email, admin.password);
          const opened = (ledger = await openLedger(instance));
          const dispatcher = await dispatcherOf(instance);
          // Longer than the time limits of this check, so that the job ends only with the worker.
          await setEngine((600 * 3600) / recordings.brief.duration);
          const file = await uploadWithRetry(api, await createCopy(recordings.brief.path, recordings.folder, 20_000));
          const task = async () =>
            (await opened.ask.dispatcher("select * from task where file_id = $1 and stage = 'transcribe'", [file]))[0];
          await until(
            'the recording is being transcribed',
            async () => (await task())?.['status'] === 'in_progress',
            120_000,
          );
          const failuresBefore = (await task())?.['failures'];
          killNow(instance, 'transcription-worker');
          const killedAt = Date.now();
          // Not before: the job may not have read the time of the engine yet.
          await setEngine(0);
          const elapsed = (): string => ((Date.now() - killedAt) / 1000).toFixed(1);
          const isRequeued = async () => Number((await task())?.['infra_requeues']) > 0;
          // Both can happen between two looks at the metrics of a busy machine.
          await until(
            'the job is reported as orphaned',
            async () => (await orphanedOnGpu(dispatcher)) > 0 || (await isRequeued()),
            120_000,
            50,
          );
          const orphanedAfter = elapsed();
          await until('the job is requeued', isRequeued, 120_000, 50);
          const taskId = String((await task())?.['uuid']);
          await until(
            'the log reports the lost worker',
            async () =>
              (await readFile(join(instance.data, 'logs', 'transcription-dispatcher.log'), 'utf8'))
                .split('\n')
                .some((line) => line.includes('worker lost') && line.includes(taskId)),
            jobLimitMs,
          );
          log(`orphaned after ${orphanedAfter} s, requeued after ${elapsed()} s`);
          await allFinished(opened, [file], 120_000);
          assert.equal((await task())?.['failures'], failuresBefore, 'the crash is counted as a failure');
          await until('no job is orphaned', async () => (await orphanedOnGpu(dispatcher)) === 0, 120_000);
        },
      },
    ],
    close: async () => {
      await scripted.resetEngine();
      await ledger?.close();
    },
  };
}
