import { CONTENTS, type Page, REFERENCE, SUMMARY } from './contents.ts';

/** The index for language models (https://llmstxt.org). */
export function llmsText(baseUrl: string): string {
  const line = ({ name, title, about }: Page) =>
    name === REFERENCE.name
      ? `- [${title}](${baseUrl}/openapi.json): ${about}`
      : `- [${title}](${baseUrl}/docs/${name}.md): ${about}`;
  const sections = CONTENTS.map(
    ({ title, pages }) => `## ${title}\n\n${pages.map(line).join('\n')}\n`,
  );
  return `# Switchboard\n\n> ${SUMMARY}\n\n${sections.join('\n')}`;
}
