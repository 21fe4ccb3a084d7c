import type { Event, Switchboard } from '../../../sdk/src/index.ts';
import { openInBrowser } from '../browser.ts';
import { COMMAND } from '../command-name.ts';
import { CliError, EXIT } from '../exit.ts';
import { print } from '../print.ts';
import { type RemoteOptions, clientFor, connect, serverUrl } from './connection.ts';
import { untilStopped } from './events.ts';
import { visible } from './format.ts';
import { type Profile, readProfiles, writeProfiles } from './profiles.ts';
import { LOCAL_PROFILE, openLocal } from './server-choice.ts';

export interface QuickstartOptions extends RemoteOptions {
  open: boolean;
  timeout: number;
}

const NAME = LOCAL_PROFILE;
/** How many applications to search, newest first, for the one of an earlier run. */
const MAX_APPLICATIONS = 1_000;
const GREETING = 'Hello from Switchboard! Please answer this message.';

/**
 * From nothing to an answered message: an application, its web chat and a key, a message to the first visitor, and the
 * visitor's answer. Without a configured server it uses the local one, and starts it if it is not running.
 */
export async function quickstart(options: QuickstartOptions): Promise<void> {
  const stopped = untilStopped();
  await using local = await openLocal(options, NAME);
  const url = local?.url ?? serverUrl(options);
  const client = local ? clientFor({ url, token: local.token }) : connect(options);
  const { acting, applicationId, chat } = await prepare(client);
  const key = await client.applicationKeys.create(applicationId, { label: NAME });
  const after = (await acting.history({ limit: 1 }).first(1))[0]?.id ?? 0;
  const address = `${url.replace(/\/+$/, '')}/chat/${chat}`;
  print(`Application  ${NAME} (${applicationId})`);
  print(`Key          id ${key.id}, secret ${key.secret} (not shown again)`);
  if (local) saveProfile({ url, token: local.token, application: applicationId });
  print(`Web chat     ${address}`);
  if (options.open && openInBrowser(address)) print('\nOpening the chat in your browser.');
  else print('\nOpen the address of the web chat in a browser.');
  const visitor = await converse(acting, {
    after,
    chat,
    stopped,
    timeoutMs: options.timeout * 1000,
  });
  const server = local ? `--profile ${NAME}` : `--application ${applicationId}`;
  print(`\nSend more: ${COMMAND} send ${server} --via ${chat} --to ${visitor} --text 'Hello'`);
  if (local?.wasStarted) {
    print('The service runs until you press Ctrl-C.');
    await local.exited(stopped);
  }
}

/** Uses what an earlier run created. */
async function prepare(client: Switchboard) {
  const { id: owner_id, team_id } = await client.users.me();
  const applications = await client.applications.list().first(MAX_APPLICATIONS);
  const existing = applications.find(({ name, state }) => name === NAME && state === 'enable');
  const fields = { team_id, owner_id, state: 'enable', name: NAME } as const;
  const { id: applicationId } = existing ?? (await client.applications.create(fields));
  const acting = client.actFor(applicationId);
  const integrations = await acting.integrations.list({ mask: true }).all();
  const existingChat = integrations.find(
    ({ name, state }) => name === 'webmessenger' && state === 'enable',
  );
  const chat =
    existingChat ??
    (await acting.integrations.create({ name: 'webmessenger', username: 'Quickstart' }));
  return { acting, applicationId, chat: chat.id };
}

/** So that the next commands need no login. */
function saveProfile(profile: Profile): void {
  const { current, profiles } = readProfiles();
  const isOnly = Object.keys(profiles).every((name) => name === NAME);
  writeProfiles({
    current: isOnly ? NAME : current,
    profiles: { ...profiles, [NAME]: profile },
  });
  print(`Profile      ${NAME}`);
}

interface Conversation {
  after: number;
  chat: number;
  stopped: AbortSignal;
  timeoutMs: number;
}

/** Greets each new visitor; returns the first one who answers. */
async function converse(
  client: Switchboard,
  { after, chat, stopped, timeoutMs }: Conversation,
): Promise<string> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([stopped, timeout]);
  for await (const event of client.events({ after, signal })) {
    const line = lineOf(event);
    if (line !== undefined) print(line);
    if (event.type === 'member.joined') {
      const { actor } = event.data;
      await client.messages.send({ to: actor.id, via: chat, text: GREETING }, { signal });
    }
    if (event.type === 'message.received') return visible(event.data.actor.id);
  }
  if (stopped.aborted) throw new CliError('stopped before an answer arrived');
  throw new CliError('no answer arrived in time; --timeout sets the limit', EXIT.failed);
}

function lineOf(event: Event): string | undefined {
  switch (event.type) {
    case 'member.joined':
      return `Visitor ${visible(event.data.actor.id)} opened the chat. Sending: ${GREETING}`;
    case 'message.read':
      return 'They read the message.';
    case 'message.received':
      return `They answered: ${visible(event.data.object.content ?? '')}`;
    default:
      return undefined;
  }
}
