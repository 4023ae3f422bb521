import type { User } from '../api/queries.ts';
import { withoutReload } from './stale-page.ts';

export type RouteChunk = { readonly path: string; readonly load: () => Promise<unknown> };

/** Code besides the pages that is loaded on demand. A test checks that the list is complete. */
const dialogs: readonly (() => Promise<unknown>)[] = [
  () => import('../library/file-dialogs.tsx'),
  () => import('../sharing/share-dialog.tsx'),
  () => import('../sharing/share-recording-dialog.tsx'),
  () => import('../library/bulk-dialogs.tsx'),
  () => import('../library/quarantine-dialogs.tsx'),
  () => import('../versions/versions-dialog.tsx'),
  () => import('../codes/give-code-dialog.tsx'),
  () => import('../collections/add-to-collection.tsx'),
  () => import('../replace/replace-dialog.tsx'),
  () => import('../replace/replace-bar.tsx'),
  () => import('../uploads/upload-dialog.tsx'),
  () => import('../uploads/url-import-dialog.tsx'),
  () => import('../transcript-import/import-dialog.tsx'),
  () => import('../exports/export-dialog.tsx'),
  () => import('../exports/archive-dialog.tsx'),
  () => import('../recording/record-dialog.tsx'),
  () => import('../state/tus.adapter.ts'),
];

/** Loads all code that this user may need, one chunk after the other, so that no click depends on the network. */
export async function loadAhead(chunks: readonly RouteChunk[], role: User['role']): Promise<void> {
  const pages = chunks.filter(({ path }) => isReachable(path, role)).map(({ load }) => load);
  await withoutReload(async () => {
    for (const load of [...dialogs, ...pages]) await load().catch(() => undefined);
  });
}

export function isReachable(path: string, role: User['role']): boolean {
  return role !== 'user' || !path.startsWith('/admin');
}

/** Runs when the browser has nothing else to do. @returns a cancel function. */
export function whenIdle(run: () => void): () => void {
  // Safari has no idle callback.
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(run, 2000);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(run, { timeout: 10_000 });
  return () => cancelIdleCallback(handle);
}
