import { readFileSync, writeFileSync } from 'node:fs';

import { SETTINGS } from '../src/config.ts';
import { METRICS } from '../src/http/metric-table.ts';
import { CONTENTS, ELSEWHERE, HOME, REFERENCE, SUMMARY } from '../src/http/pages/contents.ts';
import { LOG_FIELDS } from '../src/lib/log-fields.ts';
import { PROBLEMS } from '../src/model/problem.ts';
import { CHANNEL_PAGES, channelPage, channelTable, channelsPage } from './channel-pages.ts';
import { commandPage } from './command-page.ts';
import { dashboardJson } from './dashboard.ts';
import { licencesPage } from './licences.ts';
import { table } from './table.ts';

/*
 * `npm run docs`: writes the pages that are made from tables in the code. A test fails when they are
 * not what this would write.
 */

const NOTICE = '<!-- Made by `npm run docs`; change the code that it names instead. -->';

function configurationPage(): string {
  const rows = Object.values(SETTINGS).map(({ name, default: value, help, secret }) => [
    `\`${name}\``,
    value ? `\`${value}\`` : '',
    secret ? `${help} **Secret.**` : help,
  ]);
  return `# Configuration

${NOTICE}
<!-- From SETTINGS in src/config.ts. -->

Settings are environment variables. One that is empty counts as not set. A value that cannot be used stops the service before it starts, with one line that names the setting, and the exit code 2. \`npm run -s switchboard -- doctor\` checks them all, and points out names that do not exist.

What is marked **secret** is never logged or shown.

Besides these, \`SWITCHBOARD_<CHANNEL>_URL\`, such as \`SWITCHBOARD_TELEGRAM_URL\` or \`SWITCHBOARD_GOOGLE_CHAT_URL\`, says where a channel is instead of where its vendor has it: a server of your own, a region, a test peer. It may be an address that tenants may not reach.

${table(['name', 'default', 'what for'], rows)}`;
}

function errorsPage(): string {
  const rows = Object.entries(PROBLEMS).map(([code, { status, title, help }]) => [
    `\`${code}\``,
    String(status),
    `${title}.`,
    help,
  ]);
  return `# Errors

${NOTICE}
<!-- From PROBLEMS in src/model/problem.ts. -->

Every error is a problem document ([RFC 9457](https://www.rfc-editor.org/rfc/rfc9457)), \`application/problem+json\`:

\`\`\`json
{
  "type": "/docs/errors#invalid_fields",
  "title": "${PROBLEMS.invalid_fields.title}",
  "status": ${PROBLEMS.invalid_fields.status},
  "detail": "/name must have at least 6 characters",
  "code": "invalid_fields",
  "request_id": "q83vAbcd-1",
  "errors": [{ "pointer": "/name", "detail": "must have at least 6 characters" }]
}
\`\`\`

A program looks at \`code\`, which does not change; a person reads \`detail\`, which may. \`errors\` says what is wrong where, with JSON pointers (RFC 6901) into the body. \`request_id\` finds the request in the log, and is in the header \`X-Request-Id\` of every answer. A running service shows this list at \`/docs/errors\`.

${table(['code', 'status', 'what', 'what to do'], rows)}`;
}

function homePage(): string {
  const sections = CONTENTS.map(({ title, pages }) => {
    const lines = pages.map(({ name, title: page, about }) =>
      name === REFERENCE.name
        ? `- ${page}: ${about} A running service shows it at \`/docs/reference\`.`
        : `- [${page}](${name in ELSEWHERE ? `../${ELSEWHERE[name]}` : `${name}.md`}): ${about}`,
    );
    return `## ${title}\n\n${lines.join('\n')}\n`;
  });
  return `# ${HOME.title}

${NOTICE}
<!-- From CONTENTS in src/http/pages/contents.ts. -->

${SUMMARY}

${sections.join('\n')}`;
}

/** The pages, by the name of the file beside this one. */
export const PAGES: Readonly<Record<string, () => string>> = {
  'README.md': homePage,
  'configuration.md': configurationPage,
  'errors.md': errorsPage,
  'licences.md': () => licencesPage(NOTICE),
  'command-line.md': () => commandPage(NOTICE),
  'channels/README.md': () => channelsPage(NOTICE),
  ...Object.fromEntries(
    CHANNEL_PAGES.map((channel) => [
      `channels/${channel.name}.md`,
      () => channelPage(channel, NOTICE),
    ]),
  ),
  '../README.md': () => filled('../README.md', { channels: channelTable('docs/channels/') }),
  'observing.md': () =>
    filled('observing.md', { metrics: metricTable(), 'log-fields': logFieldTable() }),
  '../deploy/grafana/switchboard.json': dashboardJson,
};

/** A page that is written by hand, but for what stands between two marks. */
function filled(name: string, tables: Readonly<Record<string, string>>): string {
  let text = readFileSync(new URL(name, import.meta.url), 'utf8');
  for (const [mark, made] of Object.entries(tables)) {
    const [start, end] = [`<!-- ${mark} -->\n`, `<!-- /${mark} -->`];
    const [before, rest] = text.split(start);
    const [, after] = rest?.split(end) ?? [];
    if (after === undefined) throw new Error(`${name} has no ${start.trim()} and ${end}`);
    text = `${before}${start}${made}${end}${after}`;
  }
  return text;
}

function metricTable(): string {
  const rows = Object.values(METRICS).map(({ name, type, help, labels, of }) => [
    `\`${name}\``,
    type,
    labels.map((label) => `\`${label}\``).join(', '),
    of,
    help,
  ]);
  return table(['name', 'type', 'labels', 'of the', 'what it says'], rows);
}

function logFieldTable(): string {
  const rows = Object.entries(LOG_FIELDS).map(([name, help]) => [`\`${name}\``, help]);
  return table(['field', 'what it says'], rows);
}

if (import.meta.main) {
  for (const [name, make] of Object.entries(PAGES)) {
    writeFileSync(new URL(name, import.meta.url), make());
  }
}
