import { runService } from '@overtone/service-kit';
import { create } from './create.ts';

await runService(create());
