import { runService } from '@overtone/service-kit';
import { env } from './env.ts';
import { createInsights } from './insights.ts';

await runService(createInsights(env()));
