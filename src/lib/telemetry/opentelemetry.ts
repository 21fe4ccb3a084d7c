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

interface TracingOptions {
  /** The OTLP endpoint of the collector. */
  url: string;
  headers: Readonly<Record<string, string>>;
  serviceName: string;
  version: string;
  sampler: (typeof SAMPLERS)[number];
  /** For the samplers that use a ratio. */
  ratio: number;
  /**
   * Reports spans that were exported, `dropped` because the queue was full, or `failed` because the collector did not
   * accept them.
   */
  observe(outcome: 'exported' | 'dropped' | 'failed', count: number): void;
  /** Called when exports start to fail. */
  failing(error: Error | undefined): void;
  /** Called when they work again. */
  recovered(): void;
}

/** Limit of the export queue. */
const MAX_QUEUED_SPANS = 8_192;
const EXPORT_INTERVAL_MS = 2_000;
/** Includes the exporter's retries. A shutdown may have to wait this long. */
const EXPORT_TIMEOUT_MS = 5_000;
/** ExportResultCode.SUCCESS */
const EXPORT_SUCCESS = 0;

type Sdk = typeof OpenTelemetry;

/**
 * Exports traces to the operator's OpenTelemetry collector. The operator may choose any address, so the guard against
 * tenant-chosen addresses does not apply. If the collector fails, only spans are lost.
 */
export async function openTracer(options: TracingOptions): Promise<Tracer> {
  // Loaded on demand: without tracing, these packages cost no memory.
  const [api, sdk, { OTLPTraceExporter }, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-proto'),
    import('@opentelemetry/resources'),
  ]);
  const { url, headers, serviceName, version } = options;
  const exporter = new OTLPTraceExporter({ url, headers, timeoutMillis: EXPORT_TIMEOUT_MS });
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
    async close(timeoutMs) {
      const waiting = new AbortController();
      // Spans that the collector has not accepted by then are lost; `observe` has counted them.
      const shutdown = provider.shutdown().catch(() => {});
      const late = sleep(timeoutMs, undefined, { signal: waiting.signal }).catch(() => {});
      await Promise.race([shutdown, late]);
      waiting.abort();
    },
  };
}

function samplerOf(sdk: Sdk, { sampler, ratio }: TracingOptions): Sampler {
  const root = sampler.replace('parentbased_', '');
  const rootSampler =
    root === 'always_off'
      ? new sdk.AlwaysOffSampler()
      : root === 'traceidratio'
        ? new sdk.TraceIdRatioBasedSampler(ratio)
        : new sdk.AlwaysOnSampler();
  return root === sampler ? rootSampler : new sdk.ParentBasedSampler({ root: rootSampler });
}

/** Exports in batches, counts outcomes, and drops spans beyond the queue limit. */
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
        const isExported = code === EXPORT_SUCCESS;
        observe(isExported ? 'exported' : 'failed', spans.length);
        if (isExported && isFailing) recovered();
        if (!isExported && !isFailing) failing(result.error);
        isFailing = !isExported;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
  };
  const batches = new sdk.BatchSpanProcessor({
    exporter: counted,
    maxQueueSize: MAX_QUEUED_SPANS,
    scheduledDelayMillis: EXPORT_INTERVAL_MS,
  });
  return {
    onStart() {},
    onEnd(span) {
      if ((span.spanContext().traceFlags & 1) === 0) return;
      if (waiting >= MAX_QUEUED_SPANS) return observe('dropped', 1);
      waiting++;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
}
