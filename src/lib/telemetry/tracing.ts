/*
 * The tracing interface of the service. The parent span is passed explicitly, as a `traceparent` string, so it
 * travels the same way through functions, columns of the store and headers.
 * https://www.w3.org/TR/trace-context/#traceparent-header
 */
export type Attributes = Readonly<Record<string, string | number>>;

/** https://opentelemetry.io/docs/specs/otel/trace/api/#spankind */
export type SpanKind = 'internal' | 'server' | 'client' | 'consumer';

interface SpanOptions {
  kind: SpanKind;
  /** The `traceparent` of the parent span; null starts a new trace. */
  parent: string | null;
  attributes?: Attributes;
  /** The start on the clock of `performance`; now if omitted. */
  at?: number;
}

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceparent: string;
  set(attributes: Attributes): void;
  /** `fault` is the kind of error, never a message: that could contain anyone's data. */
  end(fault?: string): void;
}

/** Undefined if tracing is off, so that it costs one check. */
export interface Tracer {
  start(name: string, options: SpanOptions): Span;
  /** Exports the remaining spans, within this many milliseconds. */
  close(timeoutMs: number): Promise<void>;
}

interface TraceContext {
  traceId: string;
  spanId: string;
  flags: number;
}

const TRACEPARENT =
  /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-|$)/;

/** Undefined if the text is not a valid traceparent. */
export function parseTraceparent(text: string): TraceContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}

export function formatTraceparent({ traceId, spanId, flags }: TraceContext): string {
  return `00-${traceId}-${spanId}-${flags.toString(16).padStart(2, '0')}`;
}

/** Runs work inside a span and ends the span, also if the work fails. */
export async function within<Value>(
  span: Span | undefined,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    const value = await work();
    span?.end();
    return value;
  } catch (error) {
    span?.end(error instanceof Error ? error.name : 'error');
    throw error;
  }
}
