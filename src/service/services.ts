import { randomUUID } from 'node:crypto';

import type { ConversationProjection } from '../accept/conversations/projection.ts';
import type { Inbound } from '../accept/inbound.ts';
import { Outbound } from '../accept/outbound.ts';
import { findChannel } from '../channels/index.ts';
import type { ChannelCalls } from '../deliver/channel-calls.ts';
import type { Delivery } from '../deliver/delivery.ts';
import type { TemplateSync } from '../deliver/templates/sync.ts';
import type { WebhookRegistration } from '../deliver/webhook-registration.ts';
import type { Feed } from '../events/feed.ts';
import type { Sockets } from '../events/sockets.ts';
import { recordingEndpoint } from '../events/webhook-test.ts';
import { Audit } from '../http/audit.ts';
import { Invitations } from '../http/auth/invitations.ts';
import { Sessions } from '../http/auth/sessions.ts';
import { SignIn } from '../http/auth/sign-in.ts';
import { Tokens } from '../http/auth/tokens.ts';
import type { DeliveryControl, EndpointTrial, Services } from '../http/services.ts';
import type { Id } from '../model/id.ts';
import { isSandboxed } from '../model/sending/instructions.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { ChangeWatch } from '../store/accounts/change-watch.ts';
import type { Signal } from '../store/delivery/signals.ts';
import type { EndpointInfo } from '../store/feed/endpoints.ts';
import type { WebChat } from './chat.ts';
import type { Core } from './core.ts';
import { DAY_MS, HOUR_MS } from './durations.ts';
import type { Jobs } from './jobs.ts';
import type { Media } from './media.ts';
import { sandboxServices } from './sandbox.ts';

interface ServiceLinks {
  inbound: Inbound;
  projection: ConversationProjection;
  chat: WebChat;
  feed: Feed;
  sockets: Sockets;
  channelCalls: ChannelCalls;
  media: Media;
  webhookRegistration: WebhookRegistration;
  delivery: Delivery | undefined;
  jobs: Jobs | undefined;
  templateSync: TemplateSync;
  sandbox: Sandbox | undefined;
  wake(integrationId: Id): void;
  /** Called when the feed of an application has a new event. */
  feedChanged(applicationId: Id): void;
  /** Sends a signal to the other nodes. */
  signalNodes(signal: Signal, id: Id): void;
}

/** The services that the routes use. */
export function buildServices(core: Core, links: ServiceLinks): Services {
  const { config, store, clock, stats, tracer, metrics } = core;
  const { inbound, feed, sockets, channelCalls, webhookRegistration, wake } = links;
  const changes = new ChangeWatch(store, clock);
  const tokens = new Tokens(store, clock, config.tokenMaxDays * DAY_MS, changes);
  const audit = new Audit(store, clock);
  return {
    store,
    clock,
    tokens,
    audit,
    sessions: new Sessions({
      store,
      clock,
      tokens,
      audit,
      idle: config.sessionIdleHours * HOUR_MS,
      maxLifetime: config.sessionDays * DAY_MS,
    }),
    signIn: new SignIn(store, clock),
    invitations: new Invitations(store, clock),
    outbound: new Outbound(
      store,
      clock,
      (message, state) => {
        metrics.accepted(isSandboxed(message));
        stats.count(message, 'accepted');
        if ((message.dueAt ?? null) === null) wake(message.integrationId);
        if (state === 'queued' || state === 'scheduled') return;
        stats.count(message, state);
        links.feedChanged(message.applicationId);
      },
      tracer,
      links.media,
      changes,
    ),
    inbound,
    projection: links.projection,
    delivery: deliveryControl(links),
    chat: links.chat,
    sandbox: sandboxServices(core, links.sandbox),
    feed: {
      wait: (...args) => feed.wait(...args),
      changed: links.feedChanged,
      ticket: (caller) => sockets.ticket(caller),
    },
    stats,
    retentionDays: config.retentionDays,
    jobs: { wake: () => links.jobs?.start() },
    files: {
      find: links.media.find,
      fetch: links.media.fetch,
      isSigned: (...args) => links.media.urls.isValid(...args),
    },
    images: links.media.images,
    channelCalls: {
      register: (...args) => webhookRegistration.register(...args),
      registerInBackground: (applicationId, id) =>
        webhookRegistration.registerInBackground(applicationId, id),
      syncTemplates: (integration, channel) => links.templateSync.sync(integration, channel),
      tryEndpoint: (target, body) => tryEndpoint(channelCalls, target, body),
    },
  };
}

function deliveryControl({
  delivery,
  channelCalls,
  wake,
  signalNodes,
}: ServiceLinks): DeliveryControl {
  return {
    wake,
    changed(integrationId) {
      if (!delivery?.changed(integrationId)) signalNodes('due', integrationId);
      if (!delivery) signalNodes('free', integrationId);
    },
    changedAll(applicationId) {
      delivery?.changedAll(applicationId);
      signalNodes('changed', applicationId);
    },
    async check(integration) {
      const channel = findChannel(integration.name);
      return channel && channelCalls.check(integration, channel);
    },
    checkCredentials: (channel, credentials, integration) =>
      channelCalls.checkCredentials(credentials, channel, integration),
  };
}

/** Sends one event to a webhook at once, bypassing its queue. */
async function tryEndpoint(
  channelCalls: ChannelCalls,
  { applicationId, url: address, secrets }: EndpointInfo,
  body: string,
): Promise<EndpointTrial> {
  const credentials = { address, secret: secrets.join(' '), username: String(applicationId) };
  const key = `test_${randomUUID()}`;
  const { channel, headers } = recordingEndpoint();
  const { outcome, ...tried } = await channelCalls.sendOnce(channel, credentials, key, body);
  return { ...tried, headers, outcome: outcome.outcome, detail: outcome.detail ?? null };
}
