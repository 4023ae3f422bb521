import { runService } from '@overtone/service-kit';
import { env } from './env.ts';
import { createIdentity } from './identity.ts';

await runService(createIdentity(env()));
