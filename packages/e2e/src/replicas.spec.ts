import { useServed } from './context.ts';
import { frozenStores } from './frozen-stores.e2e.ts';
import { replicas } from './replicas/replicas.e2e.ts';
import { registerSuites } from './suite.ts';

// Features of a Kubernetes installation: an object store, a search server and replicas.
const { context, evidence } = useServed();
registerSuites([replicas(context), frozenStores(context)], evidence);
