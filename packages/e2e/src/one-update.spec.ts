import { useUpdated } from './context.ts';
import { registerSuites } from './suite.ts';
import { updatingOnce } from './update.e2e.ts';

// The same clone and remote as in update.spec.ts, for one update and its rollback.
const { context, evidence } = useUpdated();
registerSuites([updatingOnce(context)], evidence);
