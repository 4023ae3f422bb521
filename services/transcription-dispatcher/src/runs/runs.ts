export type { Runs } from './runs.service.ts';
export { nextStep, stepAfter, warningOf } from './sequence.ts';
export { runsStore } from './runs.store.ts';
