import type { Conversation, ConversationEntry } from '../../../../sdk/src/index.ts';
import { print, printTable } from '../../print.ts';
import { type RemoteOptions, connectApplication, readId } from '../connection.ts';
import { colored, printJson, visible } from '../format.ts';

export interface ConversationsOptions extends RemoteOptions {
  contact?: string;
  limit: number;
}

export async function listConversations(options: ConversationsOptions): Promise<void> {
  const { contact, limit, json } = options;
  const filter = contact === undefined ? {} : { contact_id: readId(contact, '--contact') };
  const client = await connectApplication(options);
  const query = { limit: Math.min(limit, 1000), ...filter };
  const conversations = await client.conversations.list(query).first(limit);
  if (json) return printJson(conversations);
  printTable(conversations.map(rowOf), false);
}

const rowOf = ({ id, channel, to, contact, unread, last_at, last }: Conversation) => ({
  id,
  channel,
  to: visible(to),
  name: visible(contact?.name ?? ''),
  unread,
  last: last_at,
  text: visible(last?.text ?? ''),
});

export async function showConversation(
  id: string,
  options: RemoteOptions & { limit: number },
): Promise<void> {
  const { limit, json } = options;
  const client = await connectApplication(options);
  const query = { limit: Math.min(limit, 200) };
  const entries = await client.conversations
    .messages(readId(id, 'conversation'), query)
    .first(limit);
  if (json) return printJson(entries);
  for (const entry of entries.toReversed()) print(lineOf(entry));
}

function lineOf(entry: ConversationEntry): string {
  const { at, direction, message } = entry;
  const time = at.slice(0, 19).replace('T', ' ');
  const state = message ? `  ${colored(message.state)}` : '';
  return `${time}  ${direction === 'in' ? '<' : '>'} ${visible(textOf(entry))}${state}`;
}

function textOf({ message, event }: ConversationEntry): string {
  const object = message?.message.object ?? (event && 'object' in event.data && event.data.object);
  if (!object || typeof object !== 'object') return event?.type ?? '';
  const { content, name, type } = object as { content?: string; name?: string; type?: string };
  return content || name || `[${type ?? ''}]`;
}

export async function readConversation(id: string, options: RemoteOptions): Promise<void> {
  const conversationId = readId(id, 'conversation');
  const client = await connectApplication(options);
  await client.conversations.read(conversationId);
  print(`Conversation ${conversationId} marked as read.`);
}
