// Runs before the first paint, so that a dark page never flashes white. Same key and values as Mantine's manager.
(function () {
  var chosen = null;
  try {
    chosen = localStorage.getItem('overtone-color-scheme');
  } catch {
    // Storage is blocked: follow the system.
  }
  var dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
  document.querySelector('meta[name=theme-color]').setAttribute('content', dark ? '#131416' : '#faf9f6');
})();
