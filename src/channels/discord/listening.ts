import { FetchFault } from '../../lib/http/fetch.ts';
import { textMember } from '../../lib/json/json-member.ts';
import type { Failure } from '../channel.ts';
import type { InboundEvent } from '../inbound.ts';
import { type GatewayOptions, INTENTS, readSession, runGateway } from './gateway.ts';
import { answerToInteraction } from './interactions.ts';
import { OwnMessageIds, readDispatch } from './messages.ts';

interface DiscordListening extends Pick<GatewayOptions, 'dial' | 'signal' | 'clock'> {
  token: string;
  /** The stored session. */
  cursor: string | undefined;
  emit(inboundEvents: readonly InboundEvent[], cursor?: string): Promise<void>;
  connected(): void;
  redact(secret: string): void;
  /** The URL at which to begin a new session, or why there is none. */
  begin(): Promise<string | Failure>;
  /** Whether the token may be sent to this URL. */
  isTrusted(url: string): boolean;
  answer(path: string, body: object): Promise<void>;
}

const PLAIN = INTENTS.guildMessages | INTENTS.directMessages;
/** Without the content intent, only messages to the bot or mentioning it have content. */
const INTENT_SETS = [PLAIN | INTENTS.messageContent, PLAIN];
const DISALLOWED_INTENTS = 4014;

/** Runs one connection. The next call resumes the session. */
export async function listenToDiscord(options: DiscordListening): Promise<Failure | undefined> {
  const session = readSession(options.cursor);
  const gatewayUrl = session?.url ?? (await options.begin());
  if (typeof gatewayUrl !== 'string') return gatewayUrl;
  const url = URL.parse(gatewayUrl)?.href ?? '';
  if (!/^wss?:/.test(url) || !options.isTrusted(url.replace(/^ws/, 'http'))) {
    return {
      outcome: 'permanent',
      blame: 'credentials',
      detail: 'the gateway address is not at Discord',
    };
  }
  const ownIds = new OwnMessageIds();
  let isConnected = false;
  for (const intents of INTENT_SETS) {
    const end = await runGateway({ ...options, url, intents, session, onDispatch });
    if (end.next === 'begin') await options.emit([], '');
    if (end.next !== 'stop') return undefined;
    const code = String(end.code);
    const refusal: Failure = {
      outcome: 'permanent',
      blame: 'credentials',
      detail: end.detail,
      code,
    };
    if (end.code !== DISALLOWED_INTENTS || intents === PLAIN) return refusal;
  }
  return undefined;

  async function onDispatch(
    ...[name, data, current]: Parameters<GatewayOptions['onDispatch']>
  ): Promise<void> {
    const inboundEvents = readDispatch(name, data, current.self, ownIds);
    const isBegun = name === 'READY' || name === 'RESUMED';
    // Missed events arrive before RESUMED.
    if (!isConnected) options.connected();
    isConnected = true;
    const savesCursor = isBegun || inboundEvents.some(({ what }) => what !== 'ignored');
    await options.emit(inboundEvents, savesCursor ? JSON.stringify(current) : undefined);
    if (name === 'INTERACTION_CREATE') await answerFor(data, options);
  }
}

/** https://docs.discord.com/developers/interactions/receiving-and-responding#create-interaction-response */
async function answerFor(
  interaction: unknown,
  { redact, answer }: Pick<DiscordListening, 'redact' | 'answer'>,
): Promise<void> {
  const [id, token] = [textMember(interaction, 'id'), textMember(interaction, 'token')];
  if (id === undefined || token === undefined) return;
  redact(token);
  try {
    await answer(`interactions/${id}/${token}/callback`, answerToInteraction(interaction));
  } catch (error) {
    // The interaction is stored, even if Discord shows it as failed.
    if (!(error instanceof FetchFault)) throw error;
  }
}
