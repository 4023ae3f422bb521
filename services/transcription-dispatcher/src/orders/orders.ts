export { jobOf, pauseAfter, type OrderNotes, type RunFacts, type StageResult } from './order-input.ts';
export { orderParts, republishing, type OrderRow, type Orders } from './orders.store.ts';
export { front, type Priority, type Standing } from './rank.ts';
export { standingColumns } from './rank.store.ts';
