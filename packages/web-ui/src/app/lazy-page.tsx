import { ApiError } from '@overtone/client';
import { use, type FunctionComponent } from 'react';

type LazyPage = FunctionComponent & { preload: () => Promise<void> };

const failedLoads = new Set<() => Promise<void>>();

/**
 * A page whose code is loaded on demand. The variant of the router reloads the whole document when the code cannot be
 * fetched, which without a connection ends the app and its uploads.
 */
export function lazyPage(fetchPage: () => Promise<FunctionComponent>): LazyPage {
  let Page: FunctionComponent | undefined;
  let loading: Promise<void> | undefined;
  let failure: ApiError | undefined;
  async function fetchOnce(): Promise<void> {
    failure = undefined;
    failedLoads.delete(load);
    try {
      Page = await fetchPage();
    } catch {
      failure = new ApiError(0, {});
      failedLoads.add(load);
    } finally {
      loading = undefined;
    }
  }
  function load(): Promise<void> {
    if (Page) return Promise.resolve();
    loading ??= fetchOnce();
    return loading;
  }
  function Lazy() {
    if (Page) return <Page />;
    if (failure) throw failure;
    use(load());
    return null;
  }
  return Object.assign(Lazy, { preload: load });
}

/** Retries the pages whose code could not be loaded. */
export async function retryFailedPages(): Promise<void> {
  await Promise.all([...failedLoads].map((load) => load()));
}
