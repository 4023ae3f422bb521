import { runService } from '@overtone/service-kit';
import { createEdgeGateway } from './edge-gateway.ts';
import { env } from './env.ts';

await runService(createEdgeGateway(env()));
