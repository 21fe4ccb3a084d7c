import { toMarkdownBlocks } from '../../lib/rich-text/markdown.ts';
import { type RichText, type Run, flattened, isPlain } from '../../lib/rich-text/rich-text.ts';
import {
  type Delimiters,
  MARKDOWN,
  escapeMarkdown,
  percentEncoded,
} from '../../lib/rich-text/writers.ts';
import { payloadOf } from '../../model/button.ts';
import type { ButtonPlace } from '../button-renderer.ts';
import type { Button, TextPart, VendorRequest } from '../channel.ts';

/*
 * Formatted text is Markdown: https://developer.webex.com/docs/basics#formatting-messages
 * Plain text is sent as plain text, in which Webex reads no markup.
 */

export function toWebex(rich: RichText): string | undefined {
  if (isPlain(rich)) return undefined;
  return withLineBreaks(
    toMarkdownBlocks(rich, DELIMITERS, { tables: false, headings: 3, rules: false }),
  );
}

/** Webex has no strikethrough. An entity cannot begin a mention, such as `<@all>`. */
const DELIMITERS: Delimiters = {
  ...MARKDOWN,
  strike: '',
  escape: (text) => escapeMarkdown(text).replaceAll(String.raw`\<`, '&lt;'),
  link: (text, url) => `[${text}](${url.replaceAll(/[()<>\s]/g, percentEncoded)})`,
};

const FENCE = /^\s*(`{3,})/;

/** In Markdown, two spaces at the end of a line keep the line break. */
function withLineBreaks(markdown: string): string {
  const lines = markdown.split('\n');
  let fence: string | undefined;
  return lines
    .map((line, i) => {
      const mark = FENCE.exec(line)?.[1];
      const isFence = mark !== undefined && (fence === undefined || mark === fence);
      if (isFence) fence = fence === undefined ? mark : undefined;
      const isBreak = line.trim() !== '' && (lines[i + 1] ?? '').trim() !== '';
      return isBreak && !isFence && fence === undefined ? `${line}  ` : line;
    })
    .join('\n');
}

/** The text of a message; empty without one. */
export function contentOf({ text, rich }: TextPart): object {
  if (text === '') return {};
  return isPlain(rich) ? { text } : { markdown: text };
}

/**
 * Webex shows the card in place of the text, so the card repeats it. A RichTextBlock reads no markup.
 * https://adaptivecards.io/explorer/RichTextBlock.html
 */
export function addCard(
  request: VendorRequest,
  buttons: readonly Button[],
  { text }: ButtonPlace,
): VendorRequest {
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.3',
    body: [{ type: 'RichTextBlock', inlines: flattened(text?.rich ?? []).map(toTextRun) }],
    actions: buttons.map(toAction),
  };
  const attachments = [{ contentType: 'application/vnd.microsoft.card.adaptive', content }];
  return { ...request, body: { ...request.body, attachments } };
}

function toTextRun({ text, look }: Run): object {
  return {
    type: 'TextRun',
    text,
    ...(look.bold && { weight: 'Bolder' }),
    ...(look.italic && { italic: true }),
    ...(look.strike && { strikethrough: true }),
    ...((look.code ?? look.block) && { fontType: 'Monospace' }),
    ...(look.link !== undefined && { selectAction: { type: 'Action.OpenUrl', url: look.link } }),
  };
}

/** The data of a pressed button comes back as the `inputs` of an attachment action. */
function toAction(button: Button): object {
  const { name, url } = button;
  return url === undefined
    ? { type: 'Action.Submit', title: name, data: { name, value: payloadOf(button) } }
    : { type: 'Action.OpenUrl', title: name, url };
}
