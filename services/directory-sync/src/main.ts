import { runService } from '@overtone/service-kit';
import { createDirectorySync } from './directory-sync.ts';
import { env } from './env.ts';

await runService(createDirectorySync(env()));
