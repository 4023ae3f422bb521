import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { signIn, type Client } from './client.ts';
import type { ScriptedContext } from './context.ts';
import { admin, type Instance } from './instance.ts';
import { allFinished, assertIndexed, openLedger, type Ledger } from './ledger.ts';
import { until, type Suite } from './runner.ts';
import { allReady, copyOf, insist } from './scripted.ts';
import { freeze, killNow, pidOf } from './victims.ts';

/** Takes the broker's whole store away while it cannot write to it, and lets it begin with an empty one. */
const wipe = async (instance: Instance): Promise<void> => {
  const before = pidOf(instance, 'nats');
  freeze(instance, 'nats');
  await rename(join(instance.data, 'nats', 'jetstream'), join(instance.data, `nats-lost-${Date.now()}`));
  killNow(instance, 'nats');
  await until('a new broker runs', async () => pidOf(instance, 'nats') !== before, 60_000);
};

/** The broker's disk is lost in the middle of everything: the database knows what was to be done. */
export const brokerWiped = ({ scripted, recordings }: ScriptedContext, files: number): Suite => {
  let ledger: Ledger | undefined;
  return {
    name: `The broker's store is lost with ${files} recordings under way (OT_WIPED_FILES)`,
    checks: [
      {
        rule: 'everything is finished after the broker is back, once',
        limitMs: 600_000 + files * 5_000,
        run: async (say) => {
          const { instance, pretend } = await scripted.get();
          const api: Client = await signIn(instance.baseUrl, admin.email, admin.password);
          const books = (ledger = await openLedger(instance));
          await pretend(0);
          const model = await insist(api, await copyOf(recordings.brief.path, recordings.folder, 10_000));
          await allFinished(books, [model], 120_000);
          await pretend((2 * 3600) / recordings.brief.duration);
          const sent: string[] = [];
          for (let number = 1; number <= files; number++)
            sent.push(await insist(api, await copyOf(recordings.brief.path, recordings.folder, 10_000 + number)));
          const claimed = "select 1 from task where status = 'in_progress' and stage = 'transcribe' limit 1";
          await until('one is being transcribed', async () => (await books.ask.dispatcher(claimed)).length > 0, 60_000);
          const underWay = (await books.unfinished(sent)).length;
          await wipe(instance);
          const after = await allFinished(books, sent, 300_000);
          say(`${underWay} under way at the loss, all finished ${after.toFixed(1)} s after it`);
          await allReady(instance);
          await books.assertOnce(sent, model);
          await assertIndexed(api, books, sent, model);
        },
      },
    ],
    close: async () => {
      await scripted.calm();
      await ledger?.close();
    },
  };
};
