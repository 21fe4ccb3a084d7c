import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';

import {
  type Channel,
  type Chat,
  type Check,
  type Context,
  type Failure,
  isFailure,
} from '../channels/channel.ts';
import type { FoundFile } from '../lib/http/download.ts';
import { FetchFault } from '../lib/http/fetch.ts';
import type { Clock } from '../lib/runtime/clock.ts';
import type { ExpiringValues } from '../lib/runtime/expiring-values.ts';
import type { MediaReference } from '../model/event.ts';
import type { Id } from '../model/id.ts';
import type { Credentials, Integration } from '../model/integration.ts';
import { type TemplateDefinition, isNameable } from '../model/templates/vendor-template.ts';
import type { Millis } from '../model/timestamp.ts';
import type { Store } from '../store/store.ts';
import {
  type Account,
  type Exchange,
  type AttemptRecord,
  contextOf,
  faultOutcome,
  redacted,
} from './attempt/attempt.ts';
import { redactor } from './attempt/redaction.ts';
import { ChannelResource } from './channel-resource.ts';
import { Files } from './media/downloads.ts';
import { type VendorAccessOptions, vendorAccess } from './vendor-access.ts';

const DEADLINE_MS = 15_000;
/** Lists may have several pages. */
const LIST_DEADLINE_MS = 60_000;
const FILE_DEADLINE_MS = 10 * 60_000;
const MAX_FILE_BYTES = 100 * 1024 * 1024;
/** Characters shown of the response to a test event. */
const MAX_SHOWN_LENGTH = 2_000;
/** Integrations whose webhooks may keep resources, such as a vendor's public keys. */
const MAX_RESOURCES = 1_000;

export interface ChannelCallOptions extends VendorAccessOptions {
  store: Store;
  clock: Clock;
  /** The channel's open resources for an integration that this node owns. */
  resourceOf?(integrationId: Id): ChannelResource | undefined;
  /** Short-lived values that webhooks and sends of an integration share. */
  sharedStateOf?(integrationId: Id): ExpiringValues;
  /** The conversations of the web chat, the one channel without a vendor. */
  chatOf?(integration: Pick<Integration, 'id' | 'applicationId'>): Chat;
}

/** The integration on whose behalf a channel is called. Its id is 0 if it is not stored. */
type CallingIntegration = Pick<Integration, 'id' | 'applicationId' | 'credentials' | 'mode'>;

interface ChannelCall extends AsyncDisposable {
  context: Context;
  /** The last request and response. */
  exchange: Exchange;
  /** Masks secrets. */
  redact(text: string): string;
}

/** Calls a channel directly, outside the message queue: to check credentials, register webhooks or fetch files. */
export class ChannelCalls {
  readonly #options: ChannelCallOptions;
  readonly #resources = new Map<Id, { credentials: string; resource: ChannelResource }>();

  constructor(options: ChannelCallOptions) {
    this.#options = options;
  }

  /** Checks the credentials: returns the account the vendor sees, or undefined if the channel has no check. */
  check(integration: Integration, channel: Channel): Promise<Check | undefined> {
    const resource = channel.checksSession && this.#options.resourceOf?.(integration.id);
    const isCurrent = resource && isDeepStrictEqual(resource.credentials, integration.credentials);
    const options = isCurrent ? { lasting: resource } : {};
    return this.#call(integration, channel, (context) => channel.check?.(context), options);
  }

  /**
   * Checks credentials, whether stored or not. If the check made the vendor replace some of them, the new ones are
   * returned, and stored if the integration has the credentials they replace.
   */
  async checkCredentials(
    credentials: Credentials,
    channel: Channel,
    integration: Integration | undefined,
  ): Promise<{ check: Check | undefined; renewed: Credentials }> {
    const { store } = this.#options;
    const renewed: Credentials = {};
    const storeCredentials = async (changed: Credentials) => {
      if (integration) await store.integrations.renew(integration, credentials, changed);
      Object.assign(renewed, changed);
    };
    const { id = 0, applicationId = 0 } = integration ?? {};
    const candidate = { id, applicationId, credentials, mode: 'live' } as const;
    const ask = (context: Context) => channel.check?.(context);
    const check = await this.#call(candidate, channel, ask, { storeCredentials });
    return { check, renewed };
  }

  /** Registers the webhook URL with the vendor. Undefined if the channel cannot do that. */
  register(integration: Integration, channel: Channel, url: string): Promise<Check | undefined> {
    return this.#call(integration, channel, (context) => channel.hook?.register?.(url, context));
  }

  /** Reads the vendor's list of templates, if the channel has any. */
  async listTemplates(
    integration: Integration,
    channel: Channel,
  ): Promise<{ found: readonly TemplateDefinition[] } | Failure> {
    const signal = AbortSignal.timeout(LIST_DEADLINE_MS);
    await using call = this.#begin(integration, channel, signal);
    const listed = await (async () => channel.templates?.list(call.context) ?? [])().catch(
      faultOutcome,
    );
    if (!isFailure(listed)) return { found: listed.filter(isNameable) };
    return { ...listed, detail: call.redact(listed.detail) };
  }

  async #call<Answer extends Check>(
    integration: CallingIntegration,
    channel: Channel,
    ask: (context: Context) => Promise<Answer> | undefined,
    more: { lasting?: ChannelResource; storeCredentials?: Account['storeCredentials'] } = {},
  ): Promise<Answer | Failure | undefined> {
    const signal = AbortSignal.timeout(DEADLINE_MS);
    await using call = this.#begin(integration, channel, signal, more);
    const answer = await (async () => ask(call.context))().catch(faultOutcome);
    if (!answer || answer.outcome === 'known') return answer;
    return { ...answer, detail: call.redact(answer.detail) };
  }

  /** Fetches a file from its channel. The caller must read or destroy the body. */
  async fetchFile(
    integration: Integration,
    channel: Channel,
    { reference, mediaType, name }: MediaReference,
    disconnected: AbortSignal,
  ): Promise<FoundFile> {
    if (!channel.media) return { fault: 'the channel has no files', isGone: true };
    const { network, operatorUrl: trusted } = vendorAccess(this.#options, integration, channel);
    const signal = AbortSignal.any([disconnected, AbortSignal.timeout(FILE_DEADLINE_MS)]);
    await using call = this.#begin(integration, channel, signal);
    try {
      const media = await channel.media(reference, call.context);
      if ('outcome' in media) {
        return { fault: call.redact(media.detail), isGone: media.outcome === 'permanent' };
      }
      const declared = { ...(mediaType && { mediaType }), ...(name && { name }) };
      if ('bytes' in media) {
        const { bytes, ...described } = media;
        return { body: Readable.from([bytes]), size: bytes.length, ...declared, ...described };
      }
      const { url, headers = {} } = media;
      const answer = await network.download(
        url,
        { headers },
        { signal, maxBytes: MAX_FILE_BYTES, ...(trusted !== undefined && { trusted }) },
      );
      if (answer.status !== 200) {
        answer.body.destroy();
        const fault = `${channel.title} answered ${answer.status} to the download`;
        return { fault, isGone: answer.status === 404 || answer.status === 410 };
      }
      const type = mediaType ?? answer.header('content-type');
      const size = Number(answer.header('content-length') ?? Number.NaN);
      return {
        ...declared,
        body: answer.body,
        ...(type !== undefined && { mediaType: type }),
        ...(Number.isSafeInteger(size) && { size }),
      };
    } catch (error) {
      return { fault: call.redact(faultOutcome(error).detail), isGone: false };
    }
  }

  /** Sends one activity on a channel that takes activities unrendered, and records nothing. */
  async sendOnce(
    channel: Channel,
    credentials: Credentials,
    key: string,
    json: string,
  ): Promise<Pick<AttemptRecord, 'outcome' | 'status' | 'answer'> & { duration: Millis }> {
    const { clock } = this.#options;
    const signal = AbortSignal.timeout(DEADLINE_MS);
    await using call = this.#begin(
      { id: 0, applicationId: 0, credentials, mode: 'live' },
      channel,
      signal,
    );
    const began = clock.elapsed();
    const sent = channel.send?.(
      { body: {} },
      { key, recipient: '', json, options: {} },
      call.context,
    );
    const outcome = await (sent ?? Promise.reject(new Error('the channel cannot send'))).catch(
      faultOutcome,
    );
    const { status, answer } = call.exchange;
    const shown = answer && call.redact(answer).slice(0, MAX_SHOWN_LENGTH);
    return { outcome, status, answer: shown, duration: clock.elapsed() - began };
  }

  /** The context of a webhook. Resources that the channel keeps live until the credentials change. */
  hookContext(integration: Integration, channel: Channel): Context {
    const { id } = integration;
    const credentials = JSON.stringify(integration.credentials);
    let cached = this.#resources.get(id);
    if (cached?.credentials !== credentials) {
      void cached?.resource.close();
      cached = { credentials, resource: new ChannelResource(integration.credentials) };
    }
    // Reinserted last: the map is in order of use, and the least recently used entry is evicted.
    this.#resources.delete(id);
    this.#resources.set(id, cached);
    const [oldest] = this.#resources.keys();
    if (oldest !== undefined && this.#resources.size > MAX_RESOURCES) this.#forget(oldest);
    const signal = AbortSignal.timeout(DEADLINE_MS);
    return this.#begin(integration, channel, signal, { lasting: cached.resource }).context;
  }

  #forget(id: Id): void {
    void this.#resources.get(id)?.resource.close();
    this.#resources.delete(id);
  }

  /** The context of one call. Resources that the channel keeps are closed with it, unless `lasting` holds them. */
  #begin(
    integration: CallingIntegration,
    channel: Channel,
    signal: AbortSignal,
    {
      lasting,
      storeCredentials,
    }: { lasting?: ChannelResource; storeCredentials?: Account['storeCredentials'] } = {},
  ): ChannelCall {
    const resource = lasting ?? new ChannelResource();
    const { network, operatorUrl } = vendorAccess(this.#options, integration, channel);
    const base = { ...this.#account(integration, channel, resource), operatorUrl };
    const account = storeCredentials ? { ...base, storeCredentials } : base;
    const exchange: Exchange = {
      status: null,
      request: null,
      body: null,
      answer: null,
      secrets: [],
    };
    const { clock } = this.#options;
    const files = new Files(network, signal);
    return {
      context: contextOf(account, { network, clock }, signal, exchange, files),
      exchange,
      redact: (text) => redacted(text, account, exchange),
      async [Symbol.asyncDispose]() {
        files.close();
        if (!lasting) await resource.close();
      },
    };
  }

  #account(
    { id, applicationId, credentials }: CallingIntegration,
    channel: Channel,
    resource: ChannelResource,
  ): Omit<Account, 'operatorUrl'> {
    const { store, chatOf, sharedStateOf } = this.#options;
    return {
      channel,
      credentials,
      resource: resource.use,
      async storeCredentials(changed) {
        const stored = await store.integrations.renew({ id, applicationId }, credentials, changed);
        // Ends the call: its result would not apply to the credentials that are stored now.
        if (!stored) throw new FetchFault('the credentials changed during the call', false);
      },
      redact: redactor(channel, credentials),
      ...(sharedStateOf && { sharedState: () => sharedStateOf(id) }),
      ...(chatOf && { chat: chatOf({ id, applicationId }) }),
    };
  }
}
