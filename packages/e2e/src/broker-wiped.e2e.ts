import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { signIn, type Client } from './client.ts';
import type { ScriptedContext } from './context.ts';
import { admin, type Instance } from './instance.ts';
import { allFinished, assertIndexed, openLedger, type Ledger } from './ledger.ts';
import type { Suite } from './suite.ts';
import { until } from './until.ts';
import { waitUntilReady, createCopy, uploadWithRetry } from './scripted.ts';
import { freeze, killNow, pidOf } from './victims.ts';

/** Freezes the broker, moves its store away and kills it, so that it restarts with an empty store. */
async function wipe(instance: Instance): Promise<void> {
  const before = pidOf(instance, 'nats');
  freeze(instance, 'nats');
  await rename(join(instance.data, 'nats', 'jetstream'), join(instance.data, `nats-lost-${Date.now()}`));
  killNow(instance, 'nats');
  await until('a new broker runs', async () => pidOf(instance, 'nats') !== before, 60_000);
}

/** The broker loses its store during processing; the jobs are restored from the database. */
export function brokerWiped({ scripted, recordings }: ScriptedContext, files: number): Suite {
  let ledger: Ledger | undefined;
  return {
    name: 'The store of the broker is lost',
    checks: [
      {
        rule: 'every recording is finished once after the broker has restarted',
        limitMs: 600_000 + files * 5_000,
        run: async (log) => {
          const { instance, setEngine } = await scripted.get();
          const api: Client = await signIn(instance.baseUrl, admin.email, admin.password);
          const opened = (ledger = await openLedger(instance));
          await setEngine(0);
          const referenceId = await uploadWithRetry(
            api,
            await createCopy(recordings.brief.path, recordings.folder, 10_000),
          );
          await allFinished(opened, [referenceId], 120_000);
          await setEngine((2 * 3600) / recordings.brief.duration);
          const sent: string[] = [];
          for (let number = 1; number <= files; number++)
            sent.push(
              await uploadWithRetry(api, await createCopy(recordings.brief.path, recordings.folder, 10_000 + number)),
            );
          const claimed = "select 1 from task where status = 'in_progress' and stage = 'transcribe' limit 1";
          await until(
            'a recording is being transcribed',
            async () => (await opened.ask.dispatcher(claimed)).length > 0,
            60_000,
          );
          const unfinished = (await opened.unfinished(sent)).length;
          await wipe(instance);
          const seconds = await allFinished(opened, sent, 300_000);
          log(
            `${unfinished} of ${files} recordings (OT_WIPED_FILES) in processing at the loss, all finished ${seconds.toFixed(1)} s later`,
          );
          await waitUntilReady(instance);
          await opened.assertOnce(sent, referenceId);
          await assertIndexed(api, opened, sent, referenceId);
        },
      },
    ],
    close: async () => {
      await scripted.resetEngine();
      await ledger?.close();
    },
  };
}
