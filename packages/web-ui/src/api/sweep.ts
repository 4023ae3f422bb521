import type { AnswerOf, BodyOf, directorySyncRoutes, explanationRoutes } from '@overtone/contracts';
import { callRoute, type Input } from './client.ts';
import type { RouteLine } from './routes.ts';

type Routes = typeof directorySyncRoutes & typeof explanationRoutes;

/** Routes of the directory sweep: apart from the others, so that the first load goes without them. */
export const sweepLines = {
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

type SweepRoute = keyof typeof sweepLines;
export type SweepAnswer<N extends SweepRoute> = AnswerOf<Routes[N]>;
type SweepBody<N extends SweepRoute> = BodyOf<Routes[N]>;

/** Calls one route of the list above. */
export const askSweep = <N extends SweepRoute>(name: N, input: Input<SweepBody<N>> = {}): Promise<SweepAnswer<N>> =>
  callRoute<SweepAnswer<N>>(sweepLines[name], input);
