import { setTimeout as sleep } from 'node:timers/promises';

import type * as OpenTelemetry from '@opentelemetry/sdk-trace';
import type { Sampler, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace';

import {
  type Span,
  type SpanKind,
  type Tracer,
  formatTraceparent,
  parseTraceparent,
} from './tracing.ts';

/** https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/#general-sdk-configuration */
export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export interface TracingOptions {
  /** Where the collector takes traces. */
  url: string;
  headers: Readonly<Record<string, string>>;
  serviceName: string;
  version: string;
  sampler: (typeof SAMPLERS)[number];
  /** For a sampler that has one. */
  ratio: number;
  /** Told what became of spans: `dropped` when too many wait, `failed` when the collector does not take them. */
  observe(outcome: 'exported' | 'dropped' | 'failed', count: number): void;
  /** Told that the collector does not take spans any more, and that it does again. */
  failing(error: Error | undefined): void;
  recovered(): void;
}

/** How many spans may wait to be exported, and how long one waits at the most, in milliseconds. */
const MAY_WAIT = 8_192;
const EXPORT_EVERY = 2_000;
/** How long the collector has to take a batch. It is tried again meanwhile, and a stop may have to wait for that. */
const PATIENCE = 5_000;
/** What exporters answer for a success. */
const TAKEN = 0;

type Sdk = typeof OpenTelemetry;

/**
 * Traces by OpenTelemetry to a collector that the operator names, who may name any: what guards against addresses
 * that tenants choose is not asked. Whatever becomes of the collector, spans are all that is lost.
 */
export async function openTracer(options: TracingOptions): Promise<Tracer> {
  // Only now: whoever does not trace does not load them.
  const [api, sdk, { OTLPTraceExporter }, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-proto'),
    import('@opentelemetry/resources'),
  ]);
  const { url, headers, serviceName, version } = options;
  const exporter = new OTLPTraceExporter({ url, headers, timeoutMillis: PATIENCE });
  const resource = resources
    .detectResources({
      detectors: [resources.serviceInstanceIdDetector, resources.resourceAttributesEnvDetector],
    })
    .merge(
      resources.resourceFromAttributes({
        'service.name': serviceName,
        'service.version': version,
      }),
    );
  const provider = new sdk.TracerProvider({
    resource,
    sampler: samplerOf(sdk, options),
    spanProcessors: [processorOf(sdk, exporter, options)],
  });
  const tracer = provider.getTracer('switchboard', version);
  const kinds: Readonly<Record<SpanKind, number>> = {
    internal: api.SpanKind.INTERNAL,
    server: api.SpanKind.SERVER,
    client: api.SpanKind.CLIENT,
    consumer: api.SpanKind.CONSUMER,
  };
  const contextOf = (traceparent: string | null) => {
    const parent = traceparent === null ? undefined : parseTraceparent(traceparent);
    if (!parent) return api.ROOT_CONTEXT;
    const { flags: traceFlags, ...ids } = parent;
    return api.trace.setSpanContext(api.ROOT_CONTEXT, { ...ids, traceFlags, isRemote: true });
  };
  return {
    start(name, { kind, parent, attributes = {}, at }): Span {
      const span = tracer.startSpan(
        name,
        { kind: kinds[kind], attributes, ...(at !== undefined && { startTime: at }) },
        contextOf(parent),
      );
      const { traceId, spanId, traceFlags: flags } = span.spanContext();
      return {
        traceId,
        spanId,
        traceparent: formatTraceparent({ traceId, spanId, flags }),
        set: (more) => void span.setAttributes(more),
        end(fault) {
          if (fault !== undefined) {
            span.setAttribute('error.type', fault);
            span.setStatus({ code: api.SpanStatusCode.ERROR });
          }
          span.end(at === undefined ? undefined : performance.now());
        },
      };
    },
    async close(patience) {
      const waiting = new AbortController();
      // What it has not taken by then is lost; whoever counts has been told.
      const shutdown = provider.shutdown().catch(() => {});
      const late = sleep(patience, undefined, { signal: waiting.signal }).catch(() => {});
      await Promise.race([shutdown, late]);
      waiting.abort();
    },
  };
}

function samplerOf(sdk: Sdk, { sampler, ratio }: TracingOptions): Sampler {
  const root = sampler.replace('parentbased_', '');
  const own =
    root === 'always_off'
      ? new sdk.AlwaysOffSampler()
      : root === 'traceidratio'
        ? new sdk.TraceIdRatioBasedSampler(ratio)
        : new sdk.AlwaysOnSampler();
  return root === sampler ? own : new sdk.ParentBasedSampler({ root: own });
}

/** Exports in batches, counts, and drops what is too much. */
function processorOf(
  sdk: Sdk,
  exporter: SpanExporter,
  { observe, failing, recovered }: TracingOptions,
): SpanProcessor {
  let waiting = 0;
  let isFailing = false;
  const counted: SpanExporter = {
    export(spans, done) {
      waiting -= spans.length;
      exporter.export(spans, (result) => {
        const code: number = result.code;
        const isTaken = code === TAKEN;
        observe(isTaken ? 'exported' : 'failed', spans.length);
        if (isTaken && isFailing) recovered();
        if (!isTaken && !isFailing) failing(result.error);
        isFailing = !isTaken;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
  const batches = new sdk.BatchSpanProcessor({
    exporter: counted,
    maxQueueSize: MAY_WAIT,
    scheduledDelayMillis: EXPORT_EVERY,
  });
  return {
    onStart() {},
    onEnd(span) {
      if ((span.spanContext().traceFlags & 1) === 0) return;
      if (waiting >= MAY_WAIT) return observe('dropped', 1);
      waiting++;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
}
