import type { HttpPeer, Reply, Request } from './server/http.ts';
import { openHttp } from './server/http.ts';

/** An exported span with the attributes of its service. */
export interface ExportedSpan {
  traceId: string;
  spanId: string;
  /** Empty for the root span. */
  parentId: string;
  name: string;
  /** 1 internal, 2 server, 3 client, 5 consumer. */
  kind: number;
  /** Nanoseconds since 1970. */
  start: bigint;
  end: bigint;
  attributes: Readonly<Record<string, string | number>>;
  /** 2 for an error. */
  status: number;
  service: Readonly<Record<string, string | number>>;
}

export interface Collector extends HttpPeer {
  /** All exported spans in order of arrival. */
  readonly spans: readonly ExportedSpan[];
}

/**
 * A collector that accepts traces as OTLP over HTTP, in protobuf, and nothing else.
 * https://opentelemetry.io/docs/specs/otlp/#otlphttp
 */
export async function openCollector(headers: Record<string, string> = {}): Promise<Collector> {
  const spans: ExportedSpan[] = [];
  const answer = (request: Request): Reply => {
    const type = request.headers['content-type'];
    if (request.method !== 'POST' || request.path !== '/v1/traces') return { status: 404 };
    if (type !== 'application/x-protobuf') return { status: 415 };
    for (const [name, value] of Object.entries(headers)) {
      if (request.headers[name] !== value) return { status: 401 };
    }
    spans.push(...spansIn(request.bytes));
    return { status: 200, headers: { 'content-type': 'application/x-protobuf' }, body: '' };
  };
  return Object.assign(await openHttp(answer), { spans });
}

/*
 * The needed parts of protobuf: https://protobuf.dev/programming-guides/encoding/ The messages:
 * https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto
 */
type Fields = Map<number, (Buffer | bigint)[]>;

function fieldsOf(bytes: Buffer): Fields {
  const fields: Fields = new Map();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const valueOf = (wireType: number): Buffer | bigint => {
    if (wireType === 0) return varint();
    const length = wireType === 1 ? 8 : wireType === 5 ? 4 : wireType === 2 ? Number(varint()) : -1;
    if (length < 0 || at + length > bytes.length) throw new Error('EMULATOR: no protobuf');
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const own = fields.get(tag >> 3) ?? [];
    own.push(valueOf(tag & 7));
    fields.set(tag >> 3, own);
  }
  return fields;
}

const all = (fields: Fields, number: number): Buffer[] =>
  (fields.get(number) ?? []).filter((value) => typeof value !== 'bigint');
const one = (fields: Fields, number: number): Buffer => all(fields, number)[0] ?? Buffer.alloc(0);
const numberIn = (fields: Fields, number: number): number =>
  Number(fields.get(number)?.find((value) => typeof value === 'bigint') ?? 0);

function attributesIn(pairs: readonly Buffer[]): Record<string, string | number> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const fields = fieldsOf(pair);
      const value = fieldsOf(one(fields, 2));
      const read = value.has(1) ? one(value, 1).toString() : numberIn(value, 3);
      return [one(fields, 1).toString(), read];
    }),
  );
}

function spansIn(bytes: Buffer): ExportedSpan[] {
  return all(fieldsOf(bytes), 1).flatMap((resourceSpans) => {
    const fields = fieldsOf(resourceSpans);
    const service = attributesIn(all(fieldsOf(one(fields, 1)), 1));
    const spans = all(fields, 2).flatMap((scopeSpans) => all(fieldsOf(scopeSpans), 2));
    return spans.map((span) => spanOf(fieldsOf(span), service));
  });
}

function spanOf(fields: Fields, service: ExportedSpan['service']): ExportedSpan {
  return {
    traceId: one(fields, 1).toString('hex'),
    spanId: one(fields, 2).toString('hex'),
    parentId: one(fields, 4).toString('hex'),
    name: one(fields, 5).toString(),
    kind: numberIn(fields, 6),
    start: one(fields, 7).readBigUInt64LE(),
    end: one(fields, 8).readBigUInt64LE(),
    attributes: attributesIn(all(fields, 9)),
    status: numberIn(fieldsOf(one(fields, 15)), 3),
    service,
  };
}
