/* Loaded before the page is drawn, so that it never flashes in the other theme. The console uses the same key. */

try {
  const theme = localStorage.getItem('switchboard.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset['theme'] = theme;
} catch {
  // Storage is blocked: the system's theme applies.
}
