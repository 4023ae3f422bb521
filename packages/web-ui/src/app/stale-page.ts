const reloadedKey = 'overtone-reloaded-at';

/**
 * After an update of the server an open page asks for parts that are gone. Loading it anew gets the new ones; once,
 * so that a server that has lost its files does not make the page reload for ever.
 */
export const reloadWhenOutdated = (mayReload: () => boolean): void =>
  window.addEventListener('vite:preloadError', (event) => {
    if (!mayReload() || Date.now() - lastReload() < 60_000) return;
    event.preventDefault();
    try {
      sessionStorage.setItem(reloadedKey, String(Date.now()));
    } catch {
      // Without storage there is no telling how often; the error is shown instead.
      return;
    }
    location.reload();
  });

const lastReload = (): number => {
  try {
    return Number(sessionStorage.getItem(reloadedKey) ?? 0);
  } catch {
    return Date.now();
  }
};
