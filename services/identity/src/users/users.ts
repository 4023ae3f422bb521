export { toAdminUserObject, whoOf, withGroups, type UserWithGroups, type Who } from './rules.ts';
export { onAccount, recordDeed, tellUpdated } from './standing.service.ts';
