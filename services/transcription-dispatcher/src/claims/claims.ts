export type { Claims } from './claims.service.ts';
export { claimsStore } from './claims.store.ts';
export { isHeld, type SeenLease } from './holding.ts';
export { timeoutCode, type PutBackStore } from './put-back.store.ts';
