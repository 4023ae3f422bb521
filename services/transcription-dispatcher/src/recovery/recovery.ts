export type { Recovery } from './recovery.service.ts';
