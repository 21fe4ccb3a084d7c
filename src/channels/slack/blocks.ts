import { type Look, type RichText, type Run, slicerOf } from '../../lib/rich-text/rich-text.ts';
import { type Button, payloadOf } from '../../model/button.ts';

/*
 * Block Kit. https://docs.slack.dev/reference/block-kit/blocks
 * A message has at most 50 blocks; the limit of their total text is not documented, and in practice about 12,000
 * characters: https://github.com/slackapi/bolt-js/issues/2509
 */

/**
 * Without escaping, `<!channel>` in a text would notify everybody.
 * https://docs.slack.dev/messaging/formatting-message-text
 */
export function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

export function unescapeSlack(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** https://docs.slack.dev/reference/block-kit/blocks/rich-text-block */
export function richTextBlock(rich: RichText): object {
  const groups = grouped(rich);
  const elements = groups.flatMap((group, i) => {
    if (group[0]?.look.block) {
      // A code block has no other formatting.
      const text = group.map((run) => run.text).join('');
      return [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text }] }];
    }
    const runs = withoutEdges(group, i > 0, i < groups.length - 1);
    if (runs.length === 0) return [];
    return [{ type: 'rich_text_section', elements: runs.flatMap(elementsOf) }];
  });
  return { type: 'rich_text', elements };
}

/** Groups consecutive lines of code, and the runs between them. */
function grouped(rich: RichText): Run[][] {
  const groups: Run[][] = [];
  for (const run of rich) {
    const last = groups.at(-1);
    if (last && Boolean(last[0]?.look.block) === Boolean(run.look.block)) last.push(run);
    else groups.push([run]);
  }
  return groups;
}

/** Slack puts a code block on separate lines, so adjacent line breaks are dropped. */
function withoutEdges(runs: RichText, afterCode: boolean, beforeCode: boolean): RichText {
  const text = runs.map((run) => run.text).join('');
  const start = afterCode ? text.length - text.replace(/^\n+/, '').length : 0;
  const end = beforeCode ? text.replace(/\n+$/, '').length : text.length;
  return slicerOf(runs)(start, end);
}

/** URLs that Slack would link in a text. */
const URL_IN_TEXT = /(https?:\/\/[^\s<>"]*[^\s<>"'.,:;!?)\]])/;

function elementsOf({ text, look }: Run): object[] {
  const style = styleOf(look);
  if (look.link !== undefined) return [{ type: 'link', url: look.link, text, ...style }];
  const parts = look.code ? [text] : text.split(URL_IN_TEXT);
  return parts.flatMap((part, i): object[] => {
    if (part === '') return [];
    return i % 2 === 1
      ? [{ type: 'link', url: part, ...style }]
      : [{ type: 'text', text: part, ...style }];
  });
}

function styleOf({ bold, italic, strike, code, link }: Look): { style?: object } {
  const style = {
    ...(bold && { bold }),
    ...(italic && { italic }),
    ...(strike && { strike }),
    // Links cannot be code.
    ...(code && link === undefined && { code }),
  };
  return Object.keys(style).length > 0 ? { style } : {};
}

/** https://docs.slack.dev/reference/block-kit/blocks/image-block */
export function imageBlock(url: string, alt: string): object {
  return { type: 'image', image_url: url, alt_text: alt };
}

/** https://docs.slack.dev/reference/block-kit/block-elements/button-element */
export function actionsBlock(buttons: readonly Button[]): object {
  const elements = buttons.map((button, i) => ({
    type: 'button',
    action_id: `button-${i + 1}`,
    text: { type: 'plain_text', text: button.name, emoji: false },
    ...(button.url === undefined ? { value: payloadOf(button) } : { url: button.url }),
  }));
  return { type: 'actions', elements };
}
