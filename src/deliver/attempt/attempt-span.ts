import type { Channel } from '../../channels/channel.ts';
import type { HttpClient } from '../../lib/http/client.ts';
import { tracedClient } from '../../lib/http/traced-client.ts';
import type { Span, Tracer } from '../../lib/telemetry/tracing.ts';
import type { AttemptOutcome } from '../../model/attempt.ts';
import type { ClaimedMessage } from '../../store/delivery/dispatch-round.ts';

/**
 * The span of one attempt. Its parent is the span in which the message was accepted.
 * https://opentelemetry.io/docs/specs/semconv/messaging/messaging-spans/
 */
export function attemptSpan(tracer: Tracer, message: ClaimedMessage, channel: string): Span {
  return tracer.start(`deliver ${channel}`, {
    kind: 'consumer',
    parent: message.trace,
    attributes: {
      'messaging.system': channel,
      'messaging.operation.name': 'deliver',
      'messaging.operation.type': 'process',
      'messaging.message.id': String(message.id),
      'switchboard.application_id': message.applicationId,
      'switchboard.integration_id': message.integrationId,
      'switchboard.attempt': message.starts,
      'switchboard.part': message.partsSent + 1,
    },
  });
}

/** A rate limit is not an error, so a span with the outcome `limited` ends without one. */
export function endAttemptSpan(span: Span, outcome: AttemptOutcome, status: string | null): void {
  const answered = status === null ? {} : { 'switchboard.status': status };
  span.set({ 'switchboard.outcome': outcome, ...answered });
  span.end(outcome === 'sent' || outcome === 'limited' ? undefined : outcome);
}

/** The network of an attempt: with tracing, each request is a span. */
export function tracedNetwork(
  network: HttpClient,
  tracer: Tracer | undefined,
  span: Span | undefined,
  { propagatesTrace }: Channel,
): HttpClient {
  if (!span || !tracer) return network;
  return tracedClient(network, tracer, span, propagatesTrace === true);
}
