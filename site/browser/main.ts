import { addCopyButtons } from './copy-buttons.ts';
import { addSearch } from './search.ts';
import { addTabs } from './tabs.ts';
import { addThemeChoice } from './theme-choice.ts';
import { addTryIt } from './try-it.ts';

/* What scripts add to a page. Without them, the page shows all its content. */

const tools = document.querySelector('header .tools');
if (tools) {
  addThemeChoice(tools);
  addSearch(tools);
}
addTabs();
addCopyButtons();
addTryIt();
