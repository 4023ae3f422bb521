export { concurrencyEnv, concurrencyOf, type Concurrency } from './concurrency.ts';
export type { JobDelivery } from './delivery.ts';
export { JobPostponed, type Seat } from './seat.ts';
export type { Ability } from './heartbeat.ts';
export { createRecycling, type Recycling } from './recycling.ts';
export { isDue, nextRuns, scheduleFault } from './schedule.ts';
export { everySlot, namedId, putJob } from './slots.ts';
export { worker, type JobHandlers, type WorkerOptions } from './worker.ts';
