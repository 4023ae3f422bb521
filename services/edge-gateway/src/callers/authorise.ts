import { identityRoutes, roleAtLeast, type ResolvedSession, type RouteDef } from '@overtone/contracts';
import { refusals } from '../refusals/refusals.ts';

/** Routes for every signed-in user, whatever the state of the account. */
const always: ReadonlySet<unknown> = new Set<RouteDef>([
  identityRoutes.me,
  identityRoutes.logout,
  identityRoutes.logoutAll,
]);

/**
 * Compares the role and the state of the account with what the route requires.
 * @throws AppError unauthenticated or forbidden, the latter with the code of the account's state.
 */
export function authorise(route: Pick<RouteDef, 'access'>, session: ResolvedSession | null): void {
  if (route.access === 'public') return;
  if (!session) throw refusals.notSignedIn();
  const { refusal } = session;
  const exempt = always.has(route) || (refusal === 'password_change_required' && route === identityRoutes.updateMe);
  if (refusal && !exempt) throw refusals.accountState(refusal);
  if (!roleAtLeast(session.role, route.access)) throw refusals.role(route.access);
}
