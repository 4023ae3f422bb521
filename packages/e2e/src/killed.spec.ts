import { testSeed } from '@overtone/testkit/seed';
import { numberFrom, useProduct } from './context.ts';
import { killing } from './kill.e2e.ts';
import { lifecycle } from './lifecycle.e2e.ts';
import { restore } from './restore.e2e.ts';
import { registerSuites } from './suite.ts';
import { syncRunKilling } from './sync-kill.e2e.ts';

// Processes are killed, and the instance is stopped and started.
const { context, evidence } = useProduct();
const kills = { oneOf: numberFrom('OT_KILLS_ONE_OF', 2), seed: testSeed };
registerSuites(
  [syncRunKilling(context, kills), killing(context, kills), lifecycle(context), restore(context)],
  evidence,
);
