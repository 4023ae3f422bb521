import { setTimeout as sleep } from 'node:timers/promises';
import { randomFrom } from '@overtone/testkit/seed';
import { signIn, type Client } from './client.ts';
import type { ScriptedContext } from './context.ts';
import { admin, type Instance } from './instance.ts';
import { allFinished, assertIndexed, openLedger, type Ledger } from './ledger.ts';
import { assertRecordedOnce, startAdminActions, type AdminActions } from './admin-actions.ts';
import { waitUntilReady, createCopy, uploadWithRetry } from './scripted.ts';
import { freeze, killNow, servers, services, type Victim } from './victims.ts';
import { assertPublishedOnce } from './published-events.ts';
import type { Suite } from './suite.ts';

type ChaosOptions = { faults: number; files: number; seed: number };

type Fault = { victim: Victim; kind: 'kill' | 'freeze'; frozenMs: number; pauseMs: number };

const victims: readonly Victim[] = [...services, ...servers];

/** The sequence of faults, derived from the seed alone, so that a run can be repeated. */
function faultSequence({ faults, seed }: Pick<ChaosOptions, 'faults' | 'seed'>): Fault[] {
  const random = randomFrom(seed);
  return Array.from({ length: faults }, () => ({
    victim: victims[random(victims.length)] ?? 'nats',
    kind: random(100) < 65 ? 'kill' : 'freeze',
    frozenMs: 200 + random(6_000),
    pauseMs: 100 + random(1_200),
  }));
}

const format = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** Injects the faults in sequence. @returns when no process is frozen any more. */
async function injectFaults(instance: Instance, sequence: readonly Fault[]): Promise<void> {
  const thaws: Promise<void>[] = [];
  for (const { victim, kind, frozenMs, pauseMs } of sequence) {
    if (kind === 'kill') killNow(instance, victim);
    else {
      const thaw = freeze(instance, victim);
      thaws.push(sleep(frozenMs).then(thaw));
    }
    await sleep(pauseMs);
  }
  await Promise.all(thaws);
}

/** Kills and freezes services and servers in random order while recordings are uploaded and processed. */
export function chaos({ scripted, recordings }: ScriptedContext, { faults, files, seed }: ChaosOptions): Suite {
  let instance: Instance;
  let api: Client;
  let ledger: Ledger | undefined;
  let adminActions: AdminActions | undefined;
  let referenceId = '';
  const sent: string[] = [];

  const send = async (number: number): Promise<void> =>
    void sent.push(
      await uploadWithRetry(api, await createCopy(recordings.brief.path, recordings.folder, number), 300_000),
    );

  /** Keeps `files` recordings in processing until the last fault. */
  const keepBusy = async (injection: Promise<void>): Promise<void> => {
    let isFinished = false;
    void injection.finally(() => (isFinished = true));
    for (let number = 1; number <= files; number++) await send(number);
    for (let number = files + 1; !isFinished; number++) {
      const remaining = await ledger?.unfinished(sent).catch(() => sent);
      if (remaining && remaining.length < files) await send(number);
      else await sleep(200);
    }
  };

  return {
    name: 'Chaos',
    checks: [
      {
        rule: 'an undisturbed recording is finished',
        limitMs: 240_000,
        run: async () => {
          const fresh = await scripted.get();
          ({ instance } = fresh);
          api = await signIn(instance.baseUrl, admin.email, admin.password);
          ledger = await openLedger(instance);
          referenceId = await uploadWithRetry(api, await createCopy(recordings.brief.path, recordings.folder, 0));
          await allFinished(ledger, [referenceId], 120_000);
          // Long enough that a recording is always being transcribed.
          await fresh.setEngine((1.5 * 3600) / recordings.brief.duration);
        },
      },
      {
        rule: 'after the last fault every recording is finished, none is lost and none is processed twice',
        limitMs: 900_000 + faults * 5_000,
        run: async (log) => {
          log(`${faults} faults with ${files} recordings in processing (OT_CHAOS_BLOWS, OT_CHAOS_FILES), seed ${seed}`);
          adminActions = startAdminActions(api, 500);
          const injection = injectFaults(instance, faultSequence({ faults, seed }));
          await Promise.all([injection, keepBusy(injection)]);
          await adminActions.stop();
          const seconds = await allFinished(ledger as Ledger, sent, 300_000);
          log(
            `${sent.length} recordings finished ${format.format(seconds)} s after the last fault and the last upload`,
          );
          await waitUntilReady(instance);
          await (ledger as Ledger).assertOnce(sent, referenceId);
          await assertIndexed(api, ledger as Ledger, sent, referenceId);
          log(await assertRecordedOnce((ledger as Ledger).ask.identity, adminActions.actions));
          log(await assertPublishedOnce(instance, sent, referenceId));
        },
      },
    ],
    close: async () => {
      await adminActions?.stop().catch(() => {});
      await scripted.resetEngine();
      await ledger?.close();
    },
  };
}
