import { useUpdated } from './context.ts';
import { registerSuites } from './suite.ts';
import { updating } from './update.e2e.ts';

// A clone with a remote of three releases made from the committed sources: `./overtone test update`.
const { context, evidence } = useUpdated();
registerSuites([updating(context)], evidence);
