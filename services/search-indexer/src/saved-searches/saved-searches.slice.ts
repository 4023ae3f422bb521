import { savedSearchRoutes } from '@overtone/contracts';
import { handle, type Slice } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { createSavedSearches } from './saved-searches.store.ts';

/** Searches that a person saves under a name, to run them again. */
export function createSavedSearchesSlice({ db }: { db: Db }): Slice {
  const saved = createSavedSearches({ db });
  return {
    routes: [
      handle(savedSearchRoutes.savedSearches, async ({ caller }) => ({ items: await saved.list(caller.userId) })),
      handle(savedSearchRoutes.saveSearch, ({ caller, body }) => saved.create(caller.userId, body)),
      handle(savedSearchRoutes.changeSavedSearch, ({ caller, params, body }) =>
        saved.change(caller.userId, params.uuid, body),
      ),
      handle(savedSearchRoutes.deleteSavedSearch, async ({ caller, params }) => {
        await saved.remove(caller.userId, params.uuid);
        return undefined;
      }),
    ],
  };
}
