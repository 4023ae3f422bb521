import { runService } from '@overtone/service-kit';
import { env } from './env.ts';
import { createMedia } from './media.ts';

await runService(createMedia(env()));
