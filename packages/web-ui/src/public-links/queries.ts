import { queryOptions } from '@tanstack/react-query';
import type { PublicView } from '@overtone/contracts';
import { call } from '../api/client.ts';
import { codeOf } from '../api/problem.ts';

/** The links of a recording, for those who may share it. */
export function publicLinksQuery(uuid: string) {
  return queryOptions({
    queryKey: ['public-links', uuid],
    queryFn: ({ signal }) => call('GET /api/files/{uuid}/public-links', { params: { uuid }, signal }),
  });
}

/**
 * Opens a link, also one whose password was entered in this tab within the last hour. Each request counts as a view, so that
 * it is never repeated automatically.
 */
export function openQuery(token: string) {
  return queryOptions({
    queryKey: ['public', 'link', token],
    queryFn: async ({ signal }) => {
      const link = await call('POST /api/public/links/open', { body: { token }, signal });
      return link.view ? link : { ...link, view: await unlockedView(link.uuid, signal) };
    },
    enabled: token !== '',
    retry: false,
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });
}

/** The cookie of the server gives access; this only says that it is worth asking for it. */
export function rememberUnlocked(uuid: string): void {
  try {
    sessionStorage.setItem(unlockedKey(uuid), 'unlocked');
  } catch {
    // Without storage the password is asked for again.
  }
}

function unlockedKey(uuid: string): string {
  return `public-link-${uuid}`;
}

function wasUnlocked(uuid: string): boolean {
  try {
    return sessionStorage.getItem(unlockedKey(uuid)) !== null;
  } catch {
    return false;
  }
}

async function unlockedView(uuid: string, signal: AbortSignal): Promise<PublicView | null> {
  if (!wasUnlocked(uuid)) return null;
  try {
    return await call('GET /api/public/links/{uuid}', { params: { uuid }, signal });
  } catch (error) {
    if (codeOf(error) === 'not_found') return null;
    throw error;
  }
}

const renewEveryMs = 20 * 60_000;
const pollMaskingMs = 5_000;

/** The opened link. Each request renews the access, which lasts for an hour. */
export function viewQuery(opened: PublicView) {
  const params = { uuid: opened.uuid };
  return queryOptions({
    queryKey: ['public', 'view', opened.uuid],
    queryFn: ({ signal }) => call('GET /api/public/links/{uuid}', { params, signal }),
    initialData: opened,
    staleTime: renewEveryMs,
    refetchInterval: ({ state }) => (state.data?.recording === 'pending' ? pollMaskingMs : renewEveryMs),
  });
}

export function publicSummaryQuery(uuid: string) {
  return queryOptions({
    queryKey: ['public', 'summary', uuid],
    queryFn: ({ signal }) => call('GET /api/public/links/{uuid}/summary', { params: { uuid }, signal }),
  });
}
