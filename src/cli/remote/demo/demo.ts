import {
  type Application,
  type Channel,
  type Outgoing,
  type Switchboard,
  SwitchboardError,
} from '../../../../sdk/src/index.ts';
import { COMMAND } from '../../command-name.ts';
import { CliError, EXIT } from '../../exit.ts';
import { print } from '../../print.ts';
import { Progress } from '../../progress.ts';
import { type RemoteOptions, clientFor, connect, serverUrl } from '../connection.ts';
import { untilStopped } from '../events.ts';
import { printJson, visible } from '../format.ts';
import { openLocal } from '../server-choice.ts';
import { addRecords, schedule } from './records.ts';
import { SCENES, channelsFor } from './scenes.ts';
import { type DemoTarget, breakDown, converse, failuresOf, trafficOf } from './traffic.ts';

export interface DemoOptions extends RemoteOptions {
  remove?: true;
}

/** The maximum number of applications among which those of the demo are found. */
const MAX_APPLICATIONS = 1_000;
/** Conversations at the same time. */
const PARALLEL = 4;
/** Everything together ends after this time. */
const TIMEOUT_MS = 180_000;
/** One conversation ends after this time. */
const CONVERSATION_TIMEOUT_MS = 30_000;
const LABEL = 'Demo';

/**
 * Fills the team with three applications in the sandbox, so that every page of the console has something to show; or
 * removes them.
 */
export async function demo(options: DemoOptions): Promise<void> {
  const stopped = untilStopped();
  await using local = await openLocal(options, 'demo');
  const url = local?.url ?? serverUrl(options);
  const client = local ? clientFor({ url, token: local.token }) : connect(options);
  if (options.remove) return await remove(client, options);
  await fill(client, url, options, AbortSignal.any([stopped, AbortSignal.timeout(TIMEOUT_MS)]));
  if (local?.wasStarted && !stopped.aborted) {
    print('The service runs until you press Ctrl-C; "sign-in-link" prints a link to the console.');
    await local.exited(stopped);
  }
}

async function fill(
  client: Switchboard,
  url: string,
  options: DemoOptions,
  signal: AbortSignal,
): Promise<void> {
  const earlier = await demoApplications(client);
  if (earlier.length > 0) {
    throw new CliError('the demo exists already; "demo --remove" removes it');
  }
  const available = (await client.channels.list()).filter(({ sandbox }) => sandbox);
  const progress = new Progress(options.json ?? false);
  try {
    const targets = await prepare(client, available, progress, signal);
    const regular = await send(targets, trafficOf, 'Sending messages', progress, signal);
    await playAll(targets, progress, signal);
    // Rate limits and outages would keep the conversations waiting.
    const failing = await send(targets, failuresOf, 'Triggering failures', progress, signal);
    const last = targets.at(-1);
    const waiting = last ? await breakDown(last, signal) : 0;
    let scheduled = 0;
    for (const scene of SCENES) {
      const target = targets.find((each) => each.scene === scene);
      if (target) scheduled += await schedule(target, signal);
    }
    const messages = regular + failing + waiting + scheduled;
    progress.end();
    report(targets, messages, url, options);
  } catch (error) {
    progress.end();
    if (!signal.aborted) throw error;
    throw new CliError('stopped before the demo was complete; "demo --remove" removes it');
  }
}

/** Creates the applications, their integrations and records. */
async function prepare(
  client: Switchboard,
  available: readonly Channel[],
  progress: Progress,
  signal: AbortSignal,
): Promise<DemoTarget[]> {
  const { id: owner_id, team_id } = await client.users.me();
  const all = SCENES.reduce((sum, { labels }) => sum + labels.length, 0);
  const targets: DemoTarget[] = [];
  for (const scene of SCENES) {
    const fields = { team_id, owner_id, state: 'enable', name: scene.name } as const;
    const { id } = await client.applications.create(fields, { signal });
    await client.applicationKeys.create(id, { label: LABEL }, { signal });
    const applicationClient = client.actFor(id);
    for (const [i, channel] of channelsFor(scene, available).entries()) {
      progress.show('Adding integrations', targets.length, all);
      const integrationFields = {
        name: channel.name,
        mode: 'sandbox',
        label: scene.labels[i] ?? LABEL,
      } as const;
      const { id: integration } = await applicationClient.integrations.create(integrationFields, {
        signal,
      });
      const sandbox = await applicationClient.sandbox.get(integration, { signal });
      targets.push({
        client: applicationClient,
        scene,
        channel,
        integration,
        sandbox,
        number: targets.length,
      });
    }
    // Before people write, so that their addresses already belong to contacts.
    await addRecords(
      client,
      id,
      targets.filter((target) => target.scene === scene),
      signal,
    );
  }
  return targets;
}

/** Sends some messages through each integration; returns their number. */
async function send(
  targets: readonly DemoTarget[],
  messagesOf: (target: DemoTarget) => Outgoing[],
  title: string,
  progress: Progress,
  signal: AbortSignal,
): Promise<number> {
  let sent = 0;
  for (const [i, target] of targets.entries()) {
    progress.show(title, i, targets.length);
    sent += (await target.client.messages.sendAll(messagesOf(target), { signal })).length;
  }
  return sent;
}

async function playAll(
  targets: readonly DemoTarget[],
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  const waiting = targets.values();
  let done = 0;
  const work = async () => {
    for (const target of waiting) {
      progress.show('Playing conversations', done, targets.length);
      const timeout = AbortSignal.timeout(CONVERSATION_TIMEOUT_MS);
      try {
        await converse(target, AbortSignal.any([signal, timeout]));
      } catch (error) {
        // A conversation that takes too long, or needs what its channel lacks, stays unfinished.
        const hasTimedOut = timeout.aborted && !signal.aborted;
        const isUnsupported = error instanceof SwitchboardError && error.code === 'unsupported';
        if (!hasTimedOut && !isUnsupported) throw error;
      }
      done++;
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
}

function report(
  targets: readonly DemoTarget[],
  messages: number,
  url: string,
  options: DemoOptions,
): void {
  const targetsByScene = Map.groupBy(targets, ({ scene }) => scene);
  if (options.json) {
    const applications = [...targetsByScene].map(([{ name }, sceneTargets]) => ({
      name,
      integrations: sceneTargets.map(({ integration: id, channel }) => ({
        id,
        channel: channel.name,
      })),
    }));
    return printJson({ applications, messages });
  }
  for (const [{ name }, sceneTargets] of targetsByScene) {
    print(`${name}: ${sceneTargets.map(({ channel }) => channel.title).join(', ')}`);
  }
  print(`\nSent ${messages} messages. See them at ${url.replace(/\/+$/, '')}/app`);
  print(`Remove them with: ${COMMAND} demo --remove`);
}

/** Deletes the applications of the demo, unless they have integrations that the demo did not create. */
async function remove(client: Switchboard, options: DemoOptions): Promise<void> {
  const removed: string[] = [];
  const kept: string[] = [];
  for (const { id, name } of await demoApplications(client)) {
    const integrations = await client.actFor(id).integrations.list({ mask: true }).all();
    const isInUse = integrations.some(({ mode }) => mode !== 'sandbox');
    if (!isInUse) await client.applications.delete(id);
    (isInUse ? kept : removed).push(`${visible(name)} (${id})`);
  }
  if (options.json) printJson({ removed, kept });
  else print(removed.length === 0 ? 'Nothing to remove.' : `Removed ${removed.join(', ')}.`);
  if (kept.length === 0) return;
  throw new CliError(`kept ${kept.join(', ')}: it has live integrations; delete them first`);
}

async function demoApplications(client: Switchboard): Promise<Application[]> {
  const applications = await searchApplications(client);
  return applications.filter(({ name }) => SCENES.some((scene) => scene.name === name));
}

async function searchApplications(client: Switchboard): Promise<Application[]> {
  try {
    return await client.applications.list({ search: LABEL }).first(MAX_APPLICATIONS);
  } catch (error) {
    if (!(error instanceof SwitchboardError) || error.code !== 'wrong_token_kind') throw error;
    throw new CliError('the demo needs the token of a user, not of an application', EXIT.usage);
  }
}
