import { testSeed } from '@overtone/testkit/seed';
import { brokerWiped } from './broker-wiped.e2e.ts';
import { carelessInTheBrowser } from './careless-browser.e2e.ts';
import { chaos } from './chaos.e2e.ts';
import { numberFrom, useScripted } from './context.ts';
import { diskFull } from './disk-full.e2e.ts';
import { frozen } from './frozen.e2e.ts';
import { longBesideShort } from './long-beside-short.e2e.ts';
import { orphaned } from './orphan.e2e.ts';
import { queuesInTheBrowser } from './queues-browser.e2e.ts';
import { rolling } from './rolling.e2e.ts';
import { signals } from './signals.e2e.ts';
import { registerSuites } from './suite.ts';

// Faults and operation, on an instance whose speech engine only waits.
const { context, evidence } = useScripted();
registerSuites(
  [
    carelessInTheBrowser(context, {
      actsPerPlace: numberFrom('OT_CARELESS_ACTS', 1),
      oneOf: numberFrom('OT_CARELESS_ONE_OF', 4),
      seed: testSeed,
    }),
    queuesInTheBrowser(context),
    signals(context),
    diskFull(context),
    frozen(context),
    orphaned(context),
    rolling(context, 4),
    brokerWiped(context, numberFrom('OT_WIPED_FILES', 5)),
    chaos(context, {
      faults: numberFrom('OT_CHAOS_BLOWS', 6),
      files: numberFrom('OT_CHAOS_FILES', 10),
      seed: testSeed,
    }),
    longBesideShort(context),
  ],
  evidence,
);
