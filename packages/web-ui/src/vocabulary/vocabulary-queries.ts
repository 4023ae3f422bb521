import { t } from '@lingui/core/macro';
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { notifyWithAction } from '../ui/action-toast.tsx';
import { notify, notifyError } from '../ui/notify.ts';

export const vocabularyQuery = queryOptions({
  queryKey: ['vocabulary'],
  queryFn: ({ signal }) => call('GET /api/vocabulary', { signal }),
});

/** Keeps a term and says so. */
export async function keepTerm(client: QueryClient, term: string): Promise<void> {
  try {
    await call('POST /api/vocabulary', { body: { term } });
    notify(t`“${term}” is in your vocabulary.`);
  } catch (error) {
    notifyError(t`“${term}” wasn’t kept`, error);
  }
  await Promise.all(
    ['vocabulary', 'vocabulary-suggestions'].map((key) => client.invalidateQueries({ queryKey: [key] })),
  );
}

/** Offers a spelling that has replaced another one, unless it is kept already. */
export async function offerTerm(client: QueryClient, find: string, replacement: string): Promise<void> {
  const term = termOf(find, replacement);
  if (term === null) return;
  const { items } = await client.fetchQuery(vocabularyQuery);
  if (items.some((item) => isSame(item.term, term))) return;
  notifyWithAction(t`Keep “${term}” as vocabulary for future recordings?`, {
    label: t`Keep`,
    run: () => void keepTerm(client, term),
    autoClose: 20_000,
  });
}

const maxLength = 80;

/** The replacement as a term; null when it is none: a sentence, another case of the same, or nothing to hear. */
export function termOf(find: string, replacement: string): string | null {
  const term = replacement.trim();
  const words = term.split(/\s+/u).length;
  return isSame(find.trim(), term) || !/\p{L}{2}/u.test(term) || term.length > maxLength || words > 4 ? null : term;
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
