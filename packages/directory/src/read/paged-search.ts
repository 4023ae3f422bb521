import { searchOrFail, type Connection } from '../wire/connection.ts';
import type { SearchRequest } from '../wire/requests.ts';
import type { Deadline } from '../wire/deadline.ts';
import { DirectoryFailure } from '../wire/failures.ts';
import type { Entry } from '../wire/entry.ts';

/** A search for all matching entries. */
export type PagedRequest = {
  readonly pageSize: number;
  /** More entries than this are an error; the result is never truncated. */
  readonly maxEntries: number;
  /** Whether the next page is requested while the current one is processed; only for searches that are read to the end. */
  readonly ahead?: boolean;
} & Omit<SearchRequest, 'maxEntries' | 'page'>;

/** The proof that a search was complete: created only for result code 0 with an empty cookie. */
export type Completeness = {
  readonly entries: number;
  readonly pages: number;
  readonly references: number;
};

// A server may send empty pages before the end (RFC 2696), but not without limit.
const maxEmptyPages = 1000;

/**
 * Yields the pages and returns the proof of completeness at the end. Throws for an error, a limit, a referral, a missing
 * or a repeated cookie, because a partial result is invalid.
 * @throws DirectoryFailure
 */
export async function* pagedSearch(
  connection: Connection,
  question: PagedRequest,
  deadline: Deadline,
): AsyncGenerator<readonly Entry[], Completeness> {
  const { pageSize, maxEntries, ahead = false, ...asked } = question;
  // A server may exceed the page size slightly; ten times the size is an error.
  const ask = (cookie: Buffer) =>
    searchOrFail(connection, { ...asked, maxEntries: pageSize * 10, page: { size: pageSize, cookie } }, deadline);
  const firsts = new Set<string>();
  const total = { entries: 0, pages: 0, references: 0 };
  let emptyPages = 0;
  for (let coming = ask(Buffer.alloc(0)); ;) {
    const found = await coming;
    if (found.cookie === undefined) throw new DirectoryFailure('protocol', 'The server answers without paging');
    total.entries += found.entries.length;
    total.pages += 1;
    total.references += found.references;
    if (total.entries > maxEntries) throw new DirectoryFailure('limit', `More than ${maxEntries} entries`);
    const first = found.entries[0]?.dn;
    // A server may repeat a cookie, but not a page.
    if (first !== undefined && firsts.has(first))
      throw new DirectoryFailure('protocol', 'The server repeats its pages');
    emptyPages = first === undefined ? emptyPages + 1 : 0;
    if (emptyPages > maxEmptyPages) throw new DirectoryFailure('protocol', 'The server sends empty pages only');
    const { cookie } = found;
    const more = cookie.length > 0;
    if (ahead && more) {
      coming = ask(cookie);
      coming.catch(() => undefined); // reported when this page is awaited
    }
    if (first !== undefined) {
      firsts.add(first);
      yield found.entries;
    }
    if (!more) return total;
    if (!ahead) coming = ask(cookie);
  }
}

/** Like `pagedSearch`; a server without paging support sends one page that ends with result code 0. */
export async function* searchPages(
  connection: Connection,
  { pages, ...request }: PagedRequest & { readonly pages: boolean },
  deadline: Deadline,
): AsyncGenerator<readonly Entry[], Completeness> {
  if (pages) return yield* pagedSearch(connection, request, deadline);
  const { entries, references } = await searchOrFail(connection, request, deadline);
  yield entries;
  return { entries: entries.length, pages: 1, references };
}

/** The entries of all pages. */
export async function searchAll(...search: Parameters<typeof searchPages>): Promise<Entry[]> {
  const entries: Entry[] = [];
  // One by one: the arguments of a call are limited, and a server without paging sends one page of any size.
  for await (const page of searchPages(...search)) for (const entry of page) entries.push(entry);
  return entries;
}
