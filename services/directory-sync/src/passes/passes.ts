export type { Passes } from './passes.service.ts';
