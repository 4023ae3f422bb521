export { firstRates, type Rates } from './rates.ts';
export type { Timing } from './timing.store.ts';
