export type { Runs } from './runs.service.ts';
export { after, stepAfter, warningOf } from './sequence.ts';
export { runsStore } from './runs.store.ts';
