export type { Runs } from './runs.service.ts';
export { warningOf } from './sequence.ts';
export { runsStore } from './runs.store.ts';
