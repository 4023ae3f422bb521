export { jobOf, pauseAfter, type OrderNotes, type RunFacts, type StageResult } from './order-input.ts';
export type { Orders } from './orders.store.ts';
export { front, type Priority } from './rank.ts';
