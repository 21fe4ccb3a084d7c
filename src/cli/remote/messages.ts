import type { Message, MessageFilter, MessageState } from '../../../sdk/src/index.ts';
import { MESSAGE_STATES } from '../../model/message.ts';
import { parseTimestamp } from '../../model/timestamp.ts';
import { CliError, EXIT } from '../exit.ts';
import { print, printTable } from '../print.ts';
import { type RemoteOptions, connectApplication, readId } from './connection.ts';
import { colored, costLine, printJson, visible, waitingLine } from './format.ts';
import { optionsLine } from './message-options.ts';

export interface FilterOptions {
  state?: string;
  to?: string;
  channel?: string;
  integration?: string;
  after?: string;
  before?: string;
}

export type MessagesOptions = RemoteOptions & FilterOptions & { limit: number };

/** Lists messages, newest first. */
export async function listMessages(options: MessagesOptions): Promise<void> {
  const { limit, json } = options;
  const filter = { limit: Math.min(limit, 1000), ...readMessageFilter(options) };
  const client = await connectApplication(options);
  const messages = await client.messages.list(filter).first(limit);
  if (json) return printJson(messages);
  printTable(
    messages.map((message) => ({
      id: message.id,
      created: message.created_at,
      state: message.state,
      to: message.to,
      integration: message.integration_id,
      mode: message.sandbox ? 'sandbox' : 'live',
      content: contentLine(message),
      error: message.error?.title ?? '',
    })),
    false,
  );
}

/** Shows a message, why it waits or failed, and every attempt. */
export async function showMessage(text: string, options: RemoteOptions): Promise<void> {
  const id = readId(text, 'message');
  const client = await connectApplication(options);
  const message = await client.messages.get(id);
  const attempts = await client.messages.attempts(id);
  if (options.json) return printJson({ ...message, attempts });
  const { state, to, integration_id: integration, waiting, error, cost } = message;
  const where = message.sandbox ? ' in the sandbox' : '';
  print(
    `Message ${id} to ${visible(to)} through integration ${integration}${where}: ${colored(state)}`,
  );
  print(`Accepted ${message.created_at} UTC, updated ${message.updated_at}`);
  print(contentLine(message));
  if (message.options) print(visible(`Options: ${optionsLine(message.options)}`));
  if (cost) print(costLine(cost));
  if (waiting) print(waitingLine(waiting));
  if (error) print(visible(`${error.title}: ${error.detail ?? ''} ${error.help}`));
  print('');
  printTable(
    attempts.map((attempt) => ({
      attempt: attempt.number,
      started: attempt.started_at,
      ms: attempt.duration_ms,
      outcome: attempt.outcome,
      status: attempt.status ?? '',
      detail: excerpt(attempt.detail ?? ''),
    })),
    false,
  );
}

/** Converts the options to a filter of the client. */
export function readMessageFilter(options: FilterOptions): MessageFilter {
  const { state, to, channel, integration, after, before } = options;
  return {
    ...(state !== undefined && { state: readStates(state) }),
    ...(to !== undefined && { to }),
    ...(channel !== undefined && { channel }),
    ...(integration !== undefined && { integration_id: readId(integration, '--integration') }),
    ...(after !== undefined && { created_after: readTime(after, '--after') }),
    ...(before !== undefined && { created_before: readTime(before, '--before') }),
  };
}

function readStates(text: string): MessageState[] {
  return text.split(',').map((name) => {
    const state = MESSAGE_STATES.find((known) => known === name.trim());
    if (state) return state;
    throw new CliError(
      `--state: expected one of ${MESSAGE_STATES.join(', ')}, not "${name}"`,
      EXIT.usage,
    );
  });
}

function readTime(text: string, flag: string): string {
  if (parseTimestamp(text) !== undefined) return text;
  throw new CliError(
    `${flag}: expected a time such as 2026-11-15T09:30:00, not "${text}"`,
    EXIT.usage,
  );
}

function contentLine({ message: { object }, template }: Message): string {
  const type = template ? `template ${template.name}` : object.type;
  return excerpt(object.content ?? `[${type}]`);
}

const MAX_EXCERPT_LENGTH = 60;

/** Truncates text to one line. */
function excerpt(text: string): string {
  const line = visible(text);
  return line.length > MAX_EXCERPT_LENGTH ? `${line.slice(0, MAX_EXCERPT_LENGTH - 1)}…` : line;
}
