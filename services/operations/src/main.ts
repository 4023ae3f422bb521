import { runService } from '@overtone/service-kit';
import { env } from './env.ts';
import { createOperations } from './operations.ts';

await runService(createOperations(env()));
