/*
 * Spans, as the service makes them. Where one belongs is handed on as a `traceparent`, explicitly: so it goes through
 * a function, a column of the store and a header alike. https://www.w3.org/TR/trace-context/#traceparent-header
 */
export type Attributes = Readonly<Record<string, string | number>>;

/** https://opentelemetry.io/docs/specs/otel/trace/api/#spankind */
export type SpanKind = 'internal' | 'server' | 'client' | 'consumer';

export interface SpanOptions {
  kind: SpanKind;
  /** The `traceparent` of the span that it belongs to; it begins a trace where there is none. */
  parent: string | null;
  attributes?: Attributes;
  /** When it began, on the clock of `performance`, if not now. */
  at?: number;
}

export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceparent: string;
  set(attributes: Attributes): void;
  /** With the kind of what went wrong, if anything did: never in words, which could be anybody's. */
  end(fault?: string): void;
}

/** Undefined wherever nothing is traced, so that it costs no more than to look. */
export interface Tracer {
  start(name: string, options: SpanOptions): Span;
  /** Exports what is left, and gives up after so many milliseconds. */
  close(patience: number): Promise<void>;
}

export interface TraceContext {
  traceId: string;
  spanId: string;
  flags: number;
}

const TRACEPARENT =
  /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-|$)/;

/** Undefined for what is none. */
export function parseTraceparent(text: string): TraceContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}

export function formatTraceparent({ traceId, spanId, flags }: TraceContext): string {
  return `00-${traceId}-${spanId}-${flags.toString(16).padStart(2, '0')}`;
}

/** Ends the span when the work has ended, however it has. */
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
