export { defaultRates, type Rates } from './rates.ts';
export { timingPart, type Timing } from './timing.store.ts';
