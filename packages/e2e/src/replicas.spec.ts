import { testSeed } from '@overtone/testkit/seed';
import { numberFrom, useServed } from './context.ts';
import { frozenStores } from './frozen-stores.e2e.ts';
import { replicas } from './replicas/replicas.e2e.ts';
import { slowServers } from './slow-servers.e2e.ts';
import { registerSuites } from './suite.ts';

// Features of a Kubernetes installation: an object store, a search server and replicas.
const { context, evidence } = useServed();
const restarted = { oneOf: numberFrom('OT_REPLICAS_ONE_OF', 2), seed: testSeed };
registerSuites([replicas(context, restarted), frozenStores(context), slowServers(context)], evidence);
