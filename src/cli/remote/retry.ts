import { print } from '../print.ts';
import { type RemoteOptions, connectApplication, readId } from './connection.ts';
import { printJson } from './show.ts';

/** Makes waiting messages due now. */
export async function retry(ids: readonly string[], options: RemoteOptions): Promise<void> {
  const messageIds = ids.map((text) => readId(text, 'message'));
  const client = await connectApplication(options);
  const messages = [];
  for (const id of messageIds) {
    messages.push(await client.messages.retry(id));
    if (!options.json) print(`Message ${id} is due now. Check it with: switchboard messages ${id}`);
  }
  if (options.json) printJson(messages);
}
