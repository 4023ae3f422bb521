const reloadedKey = 'overtone-reloaded-at';
let suspended = 0;

/**
 * After an update of the server an open page may request code that no longer exists. Reloads the page then, but only if
 * the server responds (otherwise the browser would replace the app by an error page), and at most once a minute.
 */
export function reloadWhenOutdated(mayReload: () => boolean): void {
  window.addEventListener('vite:preloadError', () => void reloadOnce(mayReload));
}

/** Runs a load whose failure must not reload the page, because the user did not request it. */
export async function withoutReload(load: () => Promise<void>): Promise<void> {
  suspended += 1;
  try {
    await load();
  } finally {
    suspended -= 1;
  }
}

async function reloadOnce(mayReload: () => boolean): Promise<void> {
  if (suspended > 0 || !mayReload() || Date.now() - lastReload() < 60_000) return;
  // An upload may have started during the request.
  if (!(await isServerReachable()) || !mayReload()) return;
  try {
    sessionStorage.setItem(reloadedKey, String(Date.now()));
  } catch {
    // Without storage reloads cannot be limited; the error is shown instead.
    return;
  }
  location.reload();
}

async function isServerReachable(): Promise<boolean> {
  try {
    return (await fetch('/', { cache: 'no-store', signal: AbortSignal.timeout(5000) })).ok;
  } catch {
    return false;
  }
}

function lastReload(): number {
  try {
    return Number(sessionStorage.getItem(reloadedKey) ?? 0);
  } catch {
    return Date.now();
  }
}
