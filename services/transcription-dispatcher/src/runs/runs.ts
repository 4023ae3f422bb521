export type { Runs } from './runs.service.ts';
export { runsStore } from './runs.store.ts';
