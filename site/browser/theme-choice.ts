import { element } from './element.ts';
import { readPreference, storePreference } from './preference.ts';

const KEY = 'switchboard.theme';

/** The theme of the docs and the console. */
export function addThemeChoice(tools: Element): void {
  const stored = readPreference(KEY);
  const choice = element('select', { 'aria-label': 'Theme', 'data-testid': 'theme' });
  for (const [value, label] of [
    ['system', 'System'],
    ['light', 'Light'],
    ['dark', 'Dark'],
  ] as const) {
    choice.append(element('option', { value }, label));
  }
  choice.value = stored === 'light' || stored === 'dark' ? stored : 'system';
  choice.addEventListener('change', () => {
    const theme = choice.value === 'system' ? undefined : choice.value;
    storePreference(KEY, theme);
    if (theme === undefined) delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme;
  });
  tools.append(choice);
}
