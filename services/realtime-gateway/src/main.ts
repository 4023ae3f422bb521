import { runService } from '@overtone/service-kit';
import { env } from './env.ts';
import { createRealtimeGateway } from './realtime-gateway.ts';

await runService(createRealtimeGateway(env()));
