export { toAdminUserObject, whoOf, withGroups, type UserWithGroups, type Who } from './rules.ts';
export { withLockedAccount, recordAuditEvent, publishUserUpdated } from './account-changes.service.ts';
