import { maxVocabularyTerms, type AnswerOf, type mediaRoutes } from '@overtone/contracts';
import { conflict, notFound, type Caller } from '@overtone/service-kit';
import { usableFile } from '../access/access.store.ts';
import type { Db } from '../database.ts';
import type { VocabularyTerm } from '../generated/client.ts';
import { maskFor } from '../redaction/redaction.store.ts';
import { repeatedSpellings, termKey } from './vocabulary.ts';
import { lockVocabulary, selectCorrected, selectTerms } from './vocabulary.store.ts';

type TermObject = AnswerOf<(typeof mediaRoutes)['addVocabulary']>;

/** The vocabulary of each person. */
export function createVocabulary({ db }: { db: Db }) {
  return {
    list: async ({ userId }: Caller) => ({ items: (await selectTerms(db, userId)).map(toObject) }),

    add: ({ userId }: Caller, term: string): Promise<TermObject> =>
      db.$transaction(async (tx) => {
        await lockVocabulary(tx, userId);
        const key = { userId_termKey: { userId, termKey: termKey(term) } };
        const known = await tx.vocabularyTerm.findUnique({ where: key });
        if (!known && (await tx.vocabularyTerm.count({ where: { userId } })) >= maxVocabularyTerms)
          throw conflict(
            'vocabulary_full',
            `Your vocabulary has ${maxVocabularyTerms} entries already. Remove one first.`,
          );
        const row = await tx.vocabularyTerm.upsert({
          where: key,
          create: { userId, term, termKey: termKey(term) },
          update: { term, createdAt: new Date() },
        });
        return toObject(row);
      }),

    remove: async ({ userId }: Caller, id: string) => {
      const { count } = await db.vocabularyTerm.deleteMany({ where: { id, userId } });
      if (count === 0) throw notFound('There is no such entry.');
      return { uuid: id };
    },

    /** A reader from whom text is masked gets none: a correction may stand in a masked part. */
    suggest: async (caller: Caller, fileId: string) => {
      const file = await usableFile(db, caller, fileId, 'read');
      const { kinds } = await maskFor(db, caller, file);
      if (kinds.size > 0) return { terms: [] };
      const known = await selectTerms(db, caller.userId);
      const texts = await selectCorrected(db, fileId, caller.userId);
      return { terms: repeatedSpellings(texts, new Set(known.map((term) => term.termKey))) };
    },

    forEngines: async (userId: string) => ({ terms: (await selectTerms(db, userId)).map(({ term }) => term) }),
  };
}

function toObject({ id, term, createdAt }: VocabularyTerm): TermObject {
  return { uuid: id, term, created_at: createdAt.toISOString() };
}
