import { COMMAND } from '../command-name.ts';
import { print } from '../print.ts';
import { type RemoteOptions, connectApplication, readId } from './connection.ts';
import { printJson } from './format.ts';
import { sendAtOf } from './send.ts';

/* Messages that have not left yet. */

export interface RescheduleOptions extends RemoteOptions {
  /** An instant, or a local time in `zone`. */
  at: string;
  zone?: string;
}

/** Makes waiting messages due now. */
export async function retry(ids: readonly string[], options: RemoteOptions): Promise<void> {
  const messageIds = ids.map((text) => readId(text, 'message'));
  const client = await connectApplication(options);
  const messages = [];
  for (const id of messageIds) {
    messages.push(await client.messages.retry(id));
    if (!options.json) print(`Message ${id} is due now. Check it with: ${COMMAND} messages ${id}`);
  }
  if (options.json) printJson(messages);
}

export async function cancel(ids: readonly string[], options: RemoteOptions): Promise<void> {
  const messageIds = ids.map((text) => readId(text, 'message'));
  const client = await connectApplication(options);
  for (const id of messageIds) {
    await client.messages.cancel(id);
    if (!options.json) print(`Message ${id} canceled. To send it now: ${COMMAND} resend ${id}`);
  }
  if (options.json) printJson(messageIds);
}

/** Changes when a scheduled message leaves. */
export async function reschedule(text: string, options: RescheduleOptions): Promise<void> {
  const id = readId(text, 'message');
  const change = sendAtOf(options);
  const client = await connectApplication(options);
  await client.messages.change(id, change);
  const message = await client.messages.get(id);
  if (options.json) return printJson(message);
  print(`Message ${id} scheduled for ${message.send_at} (UTC).`);
}
