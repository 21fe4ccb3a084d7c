/** Buttons as lines of a text, where there can be no buttons. */
export function listButtons(buttons: readonly { name: string; url?: string }[]): string {
  return buttons
    .map(({ name, url }, i) => {
      const leads = url !== undefined && url !== name;
      return `${i + 1}. ${leads ? `${name}: ${url}` : name}`;
    })
    .join('\n');
}
