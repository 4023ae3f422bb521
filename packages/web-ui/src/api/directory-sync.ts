import type { AnswerOf, BodyOf, directorySyncRoutes, explanationRoutes } from '@overtone/contracts';
import { callRoute, type Input } from './client.ts';
import type { RouteLine } from './routes.ts';

type Routes = typeof directorySyncRoutes & typeof explanationRoutes;

/** Routes of the directory sync, in a file of their own: the first page load does not include them. */
export const directorySyncLines = {
  updateDirectorySync: ['PUT', '/api/admin/directory-sync'],
  directorySyncStatus: ['GET', '/api/admin/directory-sync/status'],
  runDirectorySync: ['POST', '/api/admin/directory-sync/run'],
  passes: ['GET', '/api/admin/directory-sync/passes'],
  pass: ['GET', '/api/admin/directory-sync/passes/{uuid}'],
  approvePass: ['POST', '/api/admin/directory-sync/passes/{uuid}/approve'],
  undoPass: ['POST', '/api/admin/directory-sync/passes/{uuid}/undo'],
  explainUser: ['GET', '/api/admin/directory-sync/users/{uuid}'],
  explainSignIn: ['GET', '/api/admin/sign-in/explanation'],
} as const satisfies Partial<Record<keyof Routes, RouteLine>>;

type DirectorySyncRoute = keyof typeof directorySyncLines;
export type DirectorySyncResponse<N extends DirectorySyncRoute> = AnswerOf<Routes[N]>;
type DirectorySyncRequest<N extends DirectorySyncRoute> = BodyOf<Routes[N]>;

/** Calls one route of the list above. */
export function callDirectorySync<N extends DirectorySyncRoute>(
  name: N,
  input: Input<DirectorySyncRequest<N>> = {},
): Promise<DirectorySyncResponse<N>> {
  return callRoute<DirectorySyncResponse<N>>(directorySyncLines[name], input);
}
