import { savedSearchLimits, savedSearchQuery, type SavedSearch, type SavedSearchQuery } from '@overtone/contracts';
import { conflict, notFound } from '@overtone/service-kit';
import { isUniqueViolation, type Db, type Tx } from '../database.ts';
import type { SavedSearch as Row } from '../generated/client.ts';

type Fields = { name: string; search: SavedSearchQuery };
type Changes = { [K in keyof Fields]?: Fields[K] | undefined };

/** Searches that people saved under a name; each is read and changed by its owner only. */
export function createSavedSearches({ db }: { db: Db }) {
  return {
    list: async (userId: string): Promise<SavedSearch[]> => {
      const rows = await db.savedSearch.findMany({ where: { userId } });
      const saved = rows.map(toSavedSearch);
      return saved.sort((x, y) => x.name.localeCompare(y.name) || (x.uuid < y.uuid ? -1 : 1));
    },
    /** @throws AppError conflict `saved_search_exists`, `too_many_saved_searches`. */
    create: (userId: string, { name, search }: Fields): Promise<SavedSearch> =>
      requireFreeName(name, () =>
        db.$transaction(async (tx) => {
          // Serializes the saved searches of one person, so that the limit holds.
          await tx.$queryRaw`select 1 from pg_advisory_xact_lock(hashtextextended('saved_search:' || ${userId}, 0))`;
          if ((await tx.savedSearch.count({ where: { userId } })) >= savedSearchLimits.own)
            throw conflict(
              'too_many_saved_searches',
              `You can save ${savedSearchLimits.own} searches. Delete one that you do not use.`,
            );
          return tx.savedSearch.create({ data: { userId, name, search } });
        }),
      ),
    /** @throws AppError not_found; conflict `saved_search_exists`. */
    change: async (userId: string, id: string, { name, search }: Changes): Promise<SavedSearch> => {
      const fields = { ...(name === undefined ? {} : { name }), ...(search === undefined ? {} : { search }) };
      const data = { ...fields, updatedAt: new Date() };
      return requireFreeName(name ?? '', async () => {
        const [changed] = await db.savedSearch.updateManyAndReturn({ where: { id, userId }, data });
        if (!changed) throw noSuchSearch();
        return changed;
      });
    },
    /** @throws AppError not_found. */
    remove: async (userId: string, id: string): Promise<void> => {
      const { count } = await db.savedSearch.deleteMany({ where: { id, userId } });
      if (count === 0) throw noSuchSearch();
    },
  };
}

/** Deletes the saved searches of an erased person. @returns their number. */
export async function eraseSavedSearches(tx: Tx, userId: string): Promise<number> {
  return (await tx.savedSearch.deleteMany({ where: { userId } })).count;
}

function toSavedSearch({ id, name, search, createdAt, updatedAt }: Row): SavedSearch {
  return {
    uuid: id,
    name,
    search: savedSearchQuery.parse(search),
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}

async function requireFreeName(name: string, write: () => Promise<Row>): Promise<SavedSearch> {
  try {
    return toSavedSearch(await write());
  } catch (err) {
    if (!isUniqueViolation(err)) throw err;
    throw conflict('saved_search_exists', `You already have a saved search named “${name}”.`, { cause: err });
  }
}

function noSuchSearch() {
  return notFound('There is no such saved search.');
}
