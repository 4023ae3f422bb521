export { claimsStore } from './claims.store.ts';
export { isHeld, type SeenLease } from './holding.ts';
