import { mediaRoutes, type RouteDef } from '@overtone/contracts';
import { handle, handled, type Route } from '@overtone/service-kit';
import type { Tus } from './resumable.adapter.ts';

export function resumableRoutes({ tus }: { tus: Tus }): Route[] {
  const steps: RouteDef[] = [
    mediaRoutes.tusOptions,
    mediaRoutes.tusCreate,
    mediaRoutes.tusHead,
    mediaRoutes.tusPatch,
    mediaRoutes.tusDelete,
  ];
  return steps.map((step) =>
    handle(step, async ({ req, res, requestId, maybeCaller }) => {
      await tus({ req, res, requestId, userId: maybeCaller?.userId ?? null });
      return handled;
    }),
  );
}
