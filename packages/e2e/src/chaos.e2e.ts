import { setTimeout as sleep } from 'node:timers/promises';
import { signIn, type Client } from './client.ts';
import type { ScriptedContext } from './context.ts';
import { admin, type Instance } from './instance.ts';
import { allFinished, assertIndexed, openLedger, type Ledger } from './ledger.ts';
import { assertRecordedOnce, operate, type Operator } from './operator.ts';
import { allReady, copyOf, insist } from './scripted.ts';
import { freeze, killNow, servers, services, type Victim } from './victims.ts';
import { assertToldOnce } from './told.ts';
import type { Suite } from './runner.ts';

type ChaosOptions = { blows: number; files: number; seed: number };

type Blow = { victim: Victim; how: 'kill' | 'freeze'; frozenMs: number; pauseMs: number };

/** Numbers in [0, 1) that are the same for the same seed (mulberry32). */
const drawFrom = (seed: number) => {
  let state = seed >>> 0;
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
};

const victims: readonly Victim[] = [...services, ...servers];

/** Who is hit, how, and when: from the seed alone, so that a run can be repeated. */
const blowsOf = ({ blows, seed }: Pick<ChaosOptions, 'blows' | 'seed'>): Blow[] => {
  const draw = drawFrom(seed);
  return Array.from({ length: blows }, () => ({
    victim: victims[Math.floor(draw() * victims.length)] ?? 'nats',
    how: draw() < 0.65 ? 'kill' : 'freeze',
    frozenMs: 200 + Math.floor(draw() * 6_000),
    pauseMs: 100 + Math.floor(draw() * 1_200),
  }));
};

const told = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** Strikes until the sequence is over. @returns when nothing is frozen any more. */
const strike = async (instance: Instance, sequence: readonly Blow[]): Promise<void> => {
  const thaws: Promise<void>[] = [];
  for (const { victim, how, frozenMs, pauseMs } of sequence) {
    if (how === 'kill') killNow(instance, victim);
    else {
      const thaw = freeze(instance, victim);
      thaws.push(sleep(frozenMs).then(thaw));
    }
    await sleep(pauseMs);
  }
  await Promise.all(thaws);
};

/** Services and servers are killed and frozen in a drawn order while recordings come in and are worked on. */
export const chaos = ({ scripted, recordings }: ScriptedContext, { blows, files, seed }: ChaosOptions): Suite => {
  let instance: Instance;
  let api: Client;
  let ledger: Ledger | undefined;
  let operator: Operator | undefined;
  let model = '';
  const sent: string[] = [];

  const send = async (number: number): Promise<void> =>
    void sent.push(await insist(api, await copyOf(recordings.brief.path, recordings.folder, number), 300_000));

  /** Keeps so many recordings under way until the last blow. */
  const keepBusy = async (struck: Promise<void>): Promise<void> => {
    let over = false;
    void struck.finally(() => (over = true));
    for (let number = 1; number <= files; number++) await send(number);
    for (let number = files + 1; !over; number++) {
      const left = await ledger?.unfinished(sent).catch(() => sent);
      if (left && left.length < files) await send(number);
      else await sleep(200);
    }
  };

  return {
    name: `Chaos: ${blows} blows with ${files} recordings under way, seed ${seed} (OT_CHAOS_BLOWS, OT_CHAOS_FILES, OT_CHAOS_SEED)`,
    checks: [
      {
        rule: 'a recording that nobody disturbs is finished',
        vital: true,
        limitMs: 240_000,
        run: async () => {
          const fresh = await scripted.get();
          ({ instance } = fresh);
          api = await signIn(instance.baseUrl, admin.email, admin.password);
          ledger = await openLedger(instance);
          model = await insist(api, await copyOf(recordings.brief.path, recordings.folder, 0));
          await allFinished(ledger, [model], 120_000);
          // So that there is always one being transcribed.
          await fresh.pretend((1.5 * 3600) / recordings.brief.duration);
        },
      },
      {
        rule: 'after the last blow everything is finished, nothing is lost and nothing was done twice',
        limitMs: 900_000 + blows * 5_000,
        run: async (say) => {
          operator = operate(api, 500);
          const struck = strike(instance, blowsOf({ blows, seed }));
          await Promise.all([struck, keepBusy(struck)]);
          await operator.stop();
          const after = await allFinished(ledger as Ledger, sent, 300_000);
          say(`${sent.length} recordings finished ${told.format(after)} s after the last blow and the last upload`);
          await allReady(instance);
          await (ledger as Ledger).assertOnce(sent, model);
          await assertIndexed(api, ledger as Ledger, sent, model);
          say(await assertRecordedOnce((ledger as Ledger).ask.identity, operator.deeds));
          say(await assertToldOnce(instance, sent, model));
        },
      },
    ],
    close: async () => {
      await operator?.stop().catch(() => {});
      await scripted.calm();
      await ledger?.close();
    },
  };
};
