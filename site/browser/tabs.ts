import { element } from './element.ts';
import { readPreference, storePreference } from './preference.ts';

/* The same step in several languages. A choice applies to all tabs that have the language, on all pages. */

const KEY = 'switchboard.docs.language';

interface Tabs {
  labels: readonly string[];
  select(label: string): void;
}

export function addTabs(): void {
  const all = [...document.querySelectorAll('.tabs')].map((group, at) => build(group, at, choose));

  function choose(label: string, clicked: Element): void {
    // The clicked tab stays where it is while blocks above it change their height.
    const before = clicked.getBoundingClientRect().top;
    storePreference(KEY, label);
    for (const tabs of all) if (tabs.labels.includes(label)) tabs.select(label);
    window.scrollBy({ top: clicked.getBoundingClientRect().top - before, behavior: 'instant' });
  }

  const stored = readPreference(KEY);
  for (const tabs of all) {
    const [first = ''] = tabs.labels;
    tabs.select(stored !== undefined && tabs.labels.includes(stored) ? stored : first);
  }
}

function build(
  group: Element,
  at: number,
  choose: (label: string, clicked: Element) => void,
): Tabs {
  const panels = [...group.querySelectorAll<HTMLElement>('.code[data-tab]')];
  const labels = panels.map((panel) => panel.dataset['tab'] ?? '');
  const list = element('div', { role: 'tablist', 'aria-label': 'Language' });
  const tabs = labels.map((label, index) => {
    const attributes = { type: 'button', role: 'tab', id: `tab-${at}-${index}` };
    const tab = element(
      'button',
      { ...attributes, 'aria-controls': `panel-${at}-${index}` },
      label,
    );
    tab.addEventListener('click', () => choose(label, tab));
    return tab;
  });
  for (const [index, panel] of panels.entries()) {
    panel.id = `panel-${at}-${index}`;
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', `tab-${at}-${index}`);
  }
  list.addEventListener('keydown', (event) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const from = tabs.findIndex((tab) => tab === document.activeElement);
    if (step === 0 || from === -1) return;
    event.preventDefault();
    const to = (from + step + tabs.length) % tabs.length;
    tabs[to]?.focus();
    tabs[to]?.click();
  });
  list.append(...tabs);
  group.prepend(list);
  group.classList.add('ready');
  return {
    labels,
    select(label) {
      const chosen = labels.indexOf(label);
      for (const [index, tab] of tabs.entries()) {
        tab.setAttribute('aria-selected', String(index === chosen));
        tab.tabIndex = index === chosen ? 0 : -1;
        const panel = panels[index];
        if (panel) panel.hidden = index !== chosen;
      }
    },
  };
}
