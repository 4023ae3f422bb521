export type { Claims } from './claims.service.ts';
export { claimsStore } from './claims.store.ts';
export { isHeld, type ObservedLease } from './holding.ts';
export { timeoutCode, type RequeueStore } from './requeue.store.ts';
