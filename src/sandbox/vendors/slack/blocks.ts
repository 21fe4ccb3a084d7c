import { listMember, member, textMember } from '../../../lib/json/json-member.ts';
import type { Run } from '../../../lib/rich-text/rich-text.ts';
import { type ShownButton, type ShownContent, type ShownMedia, shownText } from '../../shown.ts';

/* The Slack blocks that we use, with all their limits. https://docs.slack.dev/reference/block-kit/blocks */

type Fields = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;

const text =
  (max: number): Check =>
  (value) =>
    typeof value === 'string' && value.length > 0 && value.length <= max;
const exactly =
  (expected: unknown): Check =>
  (value) =>
    value === expected;
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const url: Check = (value) => text(3000)(value) && /^https?:\/\/[^\s]+$/.test(String(value));
const listOf =
  (max: number, check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.length > 0 && value.length <= max && value.every(check);
/** Unknown fields are refused. */
const object =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) => {
    if (typeof value !== 'object' || value === null) return false;
    const hasOnlyFields = Object.keys(value).every((name) => name in fields);
    return (
      hasOnlyFields &&
      Object.entries(fields).every(([name, check]) => check((value as Fields)[name]))
    );
  };
const oneOf =
  (...checks: Check[]): Check =>
  (value) =>
    checks.some((check) => check(value));

const yes = optional(exactly(true));
const looks = { bold: yes, italic: yes, strike: yes };
const bare = { type: exactly('text'), text: text(12_000) };
const styled = object({ ...bare, style: optional(object({ ...looks, code: yes })) });
const link = object({
  type: exactly('link'),
  // Slack does not accept these URLs in buttons, but follows them in links.
  url: (value) => /^(https?:\/\/|mailto:|tel:)\S+$/.test(String(value)),
  text: optional(text(12_000)),
  style: optional(object(looks)),
});
const richText = object({
  type: exactly('rich_text'),
  elements: listOf(
    1000,
    oneOf(
      object({
        type: exactly('rich_text_section'),
        elements: listOf(5000, oneOf(styled, link)),
      }),
      object({ type: exactly('rich_text_preformatted'), elements: listOf(1, object(bare)) }),
    ),
  ),
});

const image = object({ type: exactly('image'), image_url: url, alt_text: text(2000) });

const button = object({
  type: exactly('button'),
  action_id: text(255),
  text: object({ type: exactly('plain_text'), text: text(75), emoji: optional(exactly(false)) }),
  url: optional(url),
  value: optional(text(2000)),
});
const actions = object({ type: exactly('actions'), elements: listOf(25, button) });

export function areBlocks(value: unknown): boolean {
  if (!listOf(50, oneOf(richText, image, actions))(value)) return false;
  const ids = [...JSON.stringify(value).matchAll(/"action_id":"([^"]+)"/g)].map(([, id]) => id);
  return new Set(ids).size === ids.length && textLengthIn(value) <= 12_000;
}

function textLengthIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value)
    .map(([name, inner]) =>
      name === 'text' && typeof inner === 'string' ? inner.length : textLengthIn(inner),
    )
    .reduce((sum, each) => sum + each, 0);
}

/** The shown form of valid blocks. */
export function shownBlocks(blocks: unknown): ShownContent {
  const runs: Run[] = [];
  const media: ShownMedia[] = [];
  const buttons: ShownButton[] = [];
  for (const block of Array.isArray(blocks) ? blocks : []) {
    const type = textMember(block, 'type');
    if (type === 'rich_text') {
      for (const section of listMember(block, 'elements')) runs.push(...runsIn(section, runs));
    } else if (type === 'image') {
      const [address, name] = [
        textMember(block, 'image_url') ?? '',
        textMember(block, 'alt_text') ?? '',
      ];
      media.push({ type: 'Image', url: address, name });
    } else {
      for (const each of listMember(block, 'elements')) buttons.push(buttonIn(each));
    }
  }
  return {
    ...shownText(runs),
    ...(media.length > 0 && { media }),
    ...(buttons.length > 0 && { buttons }),
  };
}

function runsIn(section: unknown, before: readonly Run[]): Run[] {
  const isCode = textMember(section, 'type') === 'rich_text_preformatted';
  const runs = listMember(section, 'elements').map((element): Run => {
    const style = member(element, 'style');
    const [address, written] = [textMember(element, 'url'), textMember(element, 'text')];
    const has = (name: string) => member(style, name) === true;
    return {
      text: written ?? address ?? '',
      look: {
        ...(has('bold') && { bold: true }),
        ...(has('italic') && { italic: true }),
        ...(has('strike') && { strike: true }),
        ...((isCode || has('code')) && { code: true }),
        ...(address !== undefined && { link: address }),
      },
    };
  });
  // Each section begins on its own line.
  return before.length === 0 ? runs : [{ text: '\n', look: {} }, ...runs];
}

function buttonIn(element: unknown): ShownButton {
  const [label, address, value] = [
    textMember(element, 'text', 'text') ?? '',
    textMember(element, 'url'),
    textMember(element, 'value'),
  ];
  if (address !== undefined) return { label, url: address };
  return { label, ...(value !== undefined && { value }) };
}
