import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { Parser } from 'htmlparser2';
import MarkdownIt from 'markdown-it';

import type { Destination, Channel } from '../../src/channels/channel.ts';
import { discord } from '../../src/channels/discord/channel.ts';
import { googleChat } from '../../src/channels/google-chat/channel.ts';
import { rocketchat } from '../../src/channels/rocketchat/channel.ts';
import { formattedIn } from '../../src/compose/formatted.ts';
import { unstyled } from '../../src/lib/rich-text/rich-text.ts';
import { fc } from '../support/fast-check.ts';
import { openJudge } from '../support/judges.ts';

/*
 * Plain text as we write it for a product and as its own parser reads it: the same characters are visible, unless
 * the dry run lists them as possibly formatted. plain-text.test.ts covers the products without a parser to ask.
 */

const { skip, load } = await openJudge('renderers');

const SIGNS = [
  ['*', '_', '~', '~~', '`', '```', '**', '\\', '\\\\', '#', '# ', '>', '> ', '- ', '+ ', '1. '],
  ['12)', '[', ']', '(', ')', '![', '](', '|', '||', '<', '&', '&lt;', '&#42;', '=', '===', '---'],
  ['@', '@all', ':', ':+1:', ':)', '$', '!', '.', '{', '}', '"', "'", '-', '/', '?', ';', '%'],
].flat();
const WORDS = [
  [
    'a',
    'Ada',
    'x1',
    '7',
    '*100#',
    'é',
    '日本',
    '👋',
    ' ',
    ' ',
    '\n',
    '\n\n',
    'C:\\new',
    '\\\\host\\a',
  ],
  ['snake_case_name', 'Password: _Qz*7~k* (valid *today*)', ' +4915112345678 '],
  [' https://example.com/a_b ', '\nwww.example.com/*c*a_b ', ' example.com/a_b ', ' a@b.org '],
].flat();
const texts = fc
  .array(fc.oneof(fc.constantFrom(...SIGNS), fc.constantFrom(...WORDS)), { maxLength: 8 })
  .map((pieces) => pieces.join(''))
  .filter((text) => text.trim() !== '');

const TO: Destination = { recipient: 'x', credentials: {}, options: {} };
const withoutSpaces = (text: string) => text.replaceAll(/\s+/g, '');

function assertShown(channel: Channel, shownOf: (written: string) => string): void {
  const shows = (text: string) => {
    const rich = unstyled(text);
    if (formattedIn([rich], channel, TO).length > 0) return;
    const written = channel.text?.write?.(rich, TO) ?? text;
    assert.equal(withoutSpaces(shownOf(written)), withoutSpaces(text), written);
  };
  fc.assert(fc.property(texts, shows), { numRuns: 3000 });
}

/** The visible text of HTML, with the names of elements other than lines and links. */
function seenIn(html: string): string {
  let text = '';
  const parser = new Parser({
    ontext: (piece) => (text += piece),
    onopentag: (name) => (text += /^(?:a|p|br)$/.test(name) ? '' : `<${name}>`),
  });
  parser.end(html);
  return text;
}

/** The visible text of a node of Rocket.Chat's parser. */
function seenOf(node: unknown): string {
  if (typeof node === 'string') return node;
  if (Array.isArray(node)) return node.map(seenOf).join('');
  if (typeof node !== 'object' || node === null) return '';
  const { type = '', value, unicode, label, src }: Record<string, unknown> = { ...node };
  if (type === '') return seenOf(label ?? src);
  if (type === 'EMOJI' && unicode !== undefined) return seenOf(unicode);
  if (type === 'MENTION_CHANNEL') return `#${seenOf(value)}`;
  const isText = /^(?:PARAGRAPH|PLAIN_TEXT|LINE_BREAK|LINK|BIG_EMOJI)$/.test(String(type));
  return isText ? seenOf(value) : `<${String(type)} ${seenOf(value)}>`;
}

describe('plain text as the product renders it', { skip }, () => {
  it('plain text as the product renders it is unchanged in Rocket.Chat', () => {
    const { parse } = load('@rocket.chat/message-parser') as { parse(text: string): unknown };
    assertShown(rocketchat, (written) => seenOf(parse(written)));
  });

  it('plain text as the product renders it is unchanged in Discord', () => {
    const { toHTML } = load('discord-markdown') as { toHTML(text: string): string };
    assertShown(discord, (written) => seenIn(toHTML(written)));
  });

  it('plain text as the product renders it is unchanged in Google Chat, by CommonMark', () => {
    const commonmark = new MarkdownIt('commonmark');
    assertShown(googleChat, (written) => seenIn(commonmark.render(written)));
  });
});
