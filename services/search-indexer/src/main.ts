import { runService } from '@overtone/service-kit';
import { env } from './env.ts';
import { createSearchIndexer } from './search-indexer.ts';

await runService(await createSearchIndexer(env()));
