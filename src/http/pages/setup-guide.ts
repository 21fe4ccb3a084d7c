import { readFile } from 'node:fs/promises';

import MarkdownIt, { type Token } from 'markdown-it';
import Type, { type Static } from 'typebox';

import type { Channel } from '../../channels/channel.ts';
import { CREDENTIALS } from '../../model/integration.ts';
import { nullable } from '../openapi/schemas.ts';

/*
 * The setup guides in docs/channels/setup/ as data, for pages that show them beside a form. The example requests and
 * the tables of fields are left out: the form replaces them.
 */

const RunSchema = Type.Object({
  text: Type.String(),
  style: Type.Optional(Type.Enum(['strong', 'code'])),
  url: Type.Optional(Type.String({ description: 'Target of a link.' })),
  field: Type.Optional(
    Type.Enum([...CREDENTIALS], { description: 'The credential field that the text names.' }),
  ),
});

const BlockSchema = Type.Object({
  type: Type.Enum(['paragraph', 'item', 'code']),
  step: nullable(
    Type.Integer({ description: 'Number of the step that the block belongs to, from 1.' }),
  ),
  text: Type.Array(RunSchema),
});

export const GuideSchema = Type.Object(
  {
    name: Type.String({ examples: ['telegram'] }),
    page: Type.String({ description: 'Address of the complete page about the channel.' }),
    setup: Type.Array(BlockSchema, { description: 'How to get the credentials.' }),
    receiving: Type.Array(BlockSchema, { description: 'How to receive messages.' }),
    troubleshooting: Type.Array(BlockSchema),
  },
  { title: 'ChannelGuide' },
);

export type Guide = Static<typeof GuideSchema>;
type Block = Static<typeof BlockSchema>;
type Run = Static<typeof RunSchema>;
type SectionName = 'setup' | 'receiving' | 'troubleshooting';

const FOLDER = new URL('../../../docs/channels/setup/', import.meta.url);
const reader = new MarkdownIt();
const guides = new Map<string, Promise<Guide>>();

/** Read on first use. */
export function guideTo(channel: Channel): Promise<Guide> {
  const { name } = channel;
  const cached = guides.get(name);
  if (cached) return cached;
  const guide = readFile(new URL(`${name}.md`, FOLDER), 'utf8').then((text) =>
    parseGuide(channel, text),
  );
  // A guide that could not be read is read again.
  guide.catch(() => guides.delete(name));
  guides.set(name, guide);
  return guide;
}

function parseGuide({ name, credentials }: Channel, markdown: string): Guide {
  const fields = new Set<string>(credentials.map((field) => field.name));
  const sections: Record<SectionName, Block[]> = { setup: [], receiving: [], troubleshooting: [] };
  let section: SectionName | undefined = 'setup';
  let step: number | null = null;
  let lists: ('ordered_list' | 'bullet_list')[] = [];
  let isItem = false;
  let isTable = false;
  let isHeading = false;

  const add = (type: Block['type'], text: Run[]) => {
    if (section) sections[section].push({ type, step, text });
  };
  /** Removes the sentence that announces a block, if the block is left out. */
  const dropAnnouncement = () => {
    const own = section && sections[section];
    if (own?.at(-1)?.type === 'paragraph' && plain(own.at(-1)).endsWith(':')) own.pop();
  };

  for (const token of reader.parse(markdown, {})) {
    const { type, content } = token;
    if (type === 'heading_open') isHeading = true;
    else if (type === 'heading_close') isHeading = false;
    else if (type === 'table_open') {
      isTable = true;
      dropAnnouncement();
    } else if (type === 'table_close') isTable = false;
    else if (type === 'ordered_list_open' || type === 'bullet_list_open') {
      lists.push(type === 'ordered_list_open' ? 'ordered_list' : 'bullet_list');
    } else if (type === 'ordered_list_close' || type === 'bullet_list_close') {
      lists = lists.slice(0, -1);
      if (lists.length === 0) step = null;
    } else if (type === 'list_item_open') {
      if (lists.length === 1 && lists[0] === 'ordered_list') step = Number(token.info);
      isItem = lists.at(-1) === 'bullet_list';
    } else if (type === 'list_item_close') isItem = false;
    else if (type === 'fence') {
      // A command within a step belongs to it; others are example requests and end the setup.
      if (step !== null) add('code', [{ text: content.trimEnd() }]);
      else {
        dropAnnouncement();
        if (section === 'setup') section = undefined;
      }
    } else if (type === 'inline' && isHeading) section = sectionOf(content);
    else if (type === 'inline' && !isTable) {
      if (lists.length === 0 && content === 'Troubleshooting:') section = 'troubleshooting';
      else add(isItem ? 'item' : 'paragraph', runsOf(token.children ?? [], fields));
    }
  }
  return { name, page: `/docs/channels/${name}`, ...sections };
}

function sectionOf(heading: string): SectionName | undefined {
  const name = heading.toLowerCase();
  return name === 'receiving' || name === 'troubleshooting' ? name : undefined;
}

const plain = (block: Block | undefined) => (block?.text ?? []).map(({ text }) => text).join('');

function runsOf(tokens: readonly Token[], fields: ReadonlySet<string>): Run[] {
  const runs: Run[] = [];
  let url: string | undefined;
  let isStrong = false;
  for (const token of tokens) {
    const { type, content } = token;
    if (type === 'link_open') url = outerUrl(token.attrGet('href'));
    else if (type === 'link_close') url = undefined;
    else if (type === 'strong_open' || type === 'strong_close') isStrong = type === 'strong_open';
    else if (type === 'softbreak' || type === 'hardbreak')
      runs.push({ text: ' ', ...(url !== undefined && { url }) });
    else if (type === 'code_inline') {
      const field = CREDENTIALS.find((each) => each === content && fields.has(each));
      runs.push({ text: content, style: 'code', ...(field && { field }) });
    } else if (type === 'text' && content !== '') {
      const style = isStrong ? ({ style: 'strong' } as const) : {};
      runs.push({ text: content, ...style, ...(url !== undefined && { url }) });
    }
  }
  return joined(runs);
}

/** Neighbors that look the same become one run. */
function joined(runs: readonly Run[]): Run[] {
  const found: Run[] = [];
  for (const run of runs) {
    const last = found.at(-1);
    const isSame = last?.style === run.style && last?.url === run.url && last?.style !== 'code';
    if (last && isSame) last.text += run.text;
    else found.push({ ...run });
  }
  return found;
}

/** Links between pages of the documentation become text. */
function outerUrl(href: unknown): string | undefined {
  return typeof href === 'string' && /^https?:/.test(href) ? href : undefined;
}
