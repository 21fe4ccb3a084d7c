/** The notes of a release: its section of the changelog, without the heading. */
export function notesOf(changelog: string, version: string): string {
  const [, ...sections] = changelog.split(/^## /m);
  const section = sections.find((one) => one.startsWith(`[${version}]`));
  if (section === undefined) throw new Error(`CHANGELOG.md has no section of ${version}`);
  return `${section.slice(section.indexOf('\n')).trim()}\n`;
}
