export { toAdminUserObject, requestContextOf, withGroups, type UserWithGroups, type RequestContext } from './rules.ts';
export { withLockedAccount, publishUserUpdated } from './account-changes.service.ts';
