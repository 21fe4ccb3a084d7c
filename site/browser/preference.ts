/* Choices of the reader that outlast the page. Storage may be blocked; then they last as long as the page. */

export function readPreference(key: string): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

export function storePreference(key: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    // Blocked.
  }
}
