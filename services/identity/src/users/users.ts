export {
  checkMayResetPassword,
  checkNotLastSuperAdmin,
  checkNotOwn,
  toAdminUserObject,
  requestContextOf,
  withGroups,
  type LockedAccount,
  type UserWithGroups,
  type RequestContext,
} from './rules.ts';
export { withLockedAccount, publishUserUpdated } from './account-changes.service.ts';
