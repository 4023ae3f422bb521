import { explanationRoutes } from '@overtone/contracts';
import { handle, type Slice } from '@overtone/service-kit';
import { createExplanations } from './explanation.service.ts';

/** Explains to administrators why a person is admitted or refused. */
export function createExplanationSlice(deps: Parameters<typeof createExplanations>[0]): Slice {
  const { explain } = createExplanations(deps);
  return { routes: [handle(explanationRoutes.explainSignIn, ({ query }) => explain(query.login))] };
}
