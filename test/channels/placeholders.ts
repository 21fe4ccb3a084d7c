import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

import type { Channel } from '../../src/channels/channel.ts';

/** `channel new` writes this where a text is missing. */
const PLACEHOLDER = 'TODO';
const RESERVED = /\bexample\.(?:com|org|net)\b/;

/** Asserts that facts about the vendor replaced everything that `channel new` generated. */
export function assertNoPlaceholders(channel: Channel): void {
  const found = placeholdersIn(channel);
  assert.deepEqual(
    found,
    [],
    `${channel.name} has placeholders; replace them with facts about the vendor: ${found.join(', ')}`,
  );
}

function placeholdersIn({ name, url = '', docs, limits, credentials, options = [] }: Channel) {
  const guide = new URL(`../../docs/channels/setup/${name}.md`, import.meta.url);
  const links: [string, string][] = [
    ['url', url],
    ['docs', docs],
    ...limits.map(({ link }, i): [string, string] => [`limits[${i}].link`, link]),
    ...options.map((option): [string, string] => [`link of ${option.name}`, option.link ?? '']),
  ];
  const texts: [string, string][] = [
    ...[...credentials, ...options].map((field): [string, string] => [
      `help of ${field.name}`,
      field.help,
    ]),
    [`docs/channels/setup/${name}.md`, readFileSync(guide, 'utf8')],
  ];
  return [
    ...links.filter(([, link]) => RESERVED.test(link)),
    ...texts.filter(([, text]) => text.includes(PLACEHOLDER)),
  ].map(([where]) => where);
}
