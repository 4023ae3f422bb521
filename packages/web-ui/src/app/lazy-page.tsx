import { use, type FunctionComponent } from 'react';
import { ApiError } from '../api/problem.ts';

type LazyPage = FunctionComponent & { preload: () => Promise<void> };

const failedLoads = new Set<() => Promise<void>>();

/**
 * A page whose code is loaded when it is first needed. The router's own variant reloads the whole page when the code
 * cannot be fetched: without a connection that ends the app and its uploads.
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

/** Fetches the code of pages again that could not be loaded. */
export async function retryFailedPages(): Promise<void> {
  await Promise.all([...failedLoads].map((load) => load()));
}
