import { identityRoutes, roleAtLeast, type ResolvedSession, type RouteDef } from '@overtone/contracts';
import { forbidden, unauthenticated } from '@overtone/service-kit';

/** What everybody with a session may do, whatever state the account is in. */
const always: ReadonlySet<RouteDef> = new Set<RouteDef>([
  identityRoutes.me,
  identityRoutes.logout,
  identityRoutes.logoutAll,
]);

const words: Record<NonNullable<ResolvedSession['refusal']>, string> = {
  account_pending_approval: 'This account waits for approval',
  account_rejected: 'This account was not approved',
  account_disabled: 'This account is disabled',
  password_change_required: 'The password has to be changed first',
  account_expired: 'This account has expired',
};

/**
 * Role and state of the account against what the route asks for.
 * @throws AppError unauthenticated or forbidden, the latter with the code of the account's state.
 */
export function authorise(def: RouteDef, session: ResolvedSession | null): void {
  if (def.access === 'public') return;
  if (!session) throw unauthenticated('not_authenticated', 'Please sign in');
  const { refusal } = session;
  const exempt = always.has(def) || (refusal === 'password_change_required' && def === identityRoutes.updateMe);
  if (refusal && !exempt) throw forbidden(refusal, words[refusal]);
  if (!roleAtLeast(session.role, def.access)) throw forbidden('role_required', `This needs the role ${def.access}`);
}
