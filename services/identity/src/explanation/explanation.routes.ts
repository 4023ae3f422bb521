import { explanationRoutes } from '@overtone/contracts';
import { handle, type Route } from '@overtone/service-kit';
import type { Explanations } from './explanation.service.ts';

export function explanationApi({ explanations }: { explanations: Explanations }): Route[] {
  return [handle(explanationRoutes.explainSignIn, ({ query }) => explanations.explain(query.login))];
}
