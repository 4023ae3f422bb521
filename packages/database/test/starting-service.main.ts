import { busEnv, createService, createServiceBase, readEnv, runService, serviceEnv } from '@overtone/service-kit';
import { createDatabase, databaseEnv } from '../src/index.ts';

// A service that owns tables, as a separate process, for tests of its start without a database.
const env = readEnv({ ...serviceEnv, ...busEnv, ...databaseEnv });
const base = createServiceBase('media', env);
const { slice } = createDatabase(base, () => ({ $disconnect: async () => {} }));
await runService(createService({ ...base, slices: [slice] }));
