export type { Runs } from './runs.service.ts';
export { after, stepAfter, warningOf, type Step } from './sequence.ts';
export { runsStore } from './runs.store.ts';
