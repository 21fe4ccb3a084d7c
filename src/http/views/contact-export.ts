import { findIn } from '../../accept/contacts/find-personal-data.ts';
import type { Identity, Place } from '../../accept/contacts/recognize.ts';
import type { FoundFile } from '../../lib/http/download.ts';
import { type Event, type MediaReference, envelopeJson } from '../../model/event.ts';
import type { Id } from '../../model/id.ts';
import type { Message } from '../../model/message.ts';
import type { ContactMerge, MergedContact } from '../../model/people/merge.ts';
import { consentView } from '../../model/sending/consent-event.ts';
import { consentKey } from '../../model/sending/consent.ts';
import { timestamp } from '../../model/timestamp.ts';
import type { Person } from '../../store/people/contacts.ts';
import type { ConsentChangeRow, Part, SandboxMessage } from '../../store/schema.ts';
import type { Store } from '../../store/store.ts';
import type { Files } from '../services.ts';
import { contactView } from './contact.ts';
import { attemptView, messageJson } from './views.ts';

/* Everything about a person as lines of JSON. Nothing is collected: a page is read, written and dropped. */

const EXPORT_KINDS = [
  'contact',
  'merge',
  'consent',
  'message',
  'attempt',
  'receipt',
  'event',
  'file',
  'sandbox',
  'end',
] as const;

type Kind = (typeof EXPORT_KINDS)[number];

/** Messages whose activities are in memory at once. */
const MESSAGES_PER_READ = 20;
const PHONE_PAGE = 100;
/** Base64 has four characters for each three bytes. */
const CHUNK_BYTES = 3 * 16 * 1024;

interface ExportContext {
  store: Store;
  files: Pick<Files, 'fetch'>;
  baseUrl: string;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
}

/** The lines of the export, in pieces. The last line counts the others: without it, the file is incomplete. */
export async function* exportOf(person: Person, context: ExportContext): AsyncGenerator<string> {
  let lines = 0;
  for await (const piece of linesOf(person, context)) {
    if (piece.endsWith('\n')) lines++;
    yield piece;
  }
  yield line('end', { lines });
}

async function* linesOf(person: Person, context: ExportContext): AsyncGenerator<string> {
  const { store, baseUrl } = context;
  const { applicationId, id: contactId, addresses } = person;
  const merges = await store.merges.list(applicationId, contactId);
  const contactIds = [contactId, ...merges.map(({ mergedId }) => mergedId)];
  const identity: Identity = { contactIds, addresses };
  yield line('contact', contactView(person));
  for (const merge of merges) yield line('merge', mergeView(merge));
  for (const address of addresses) {
    yield* consentLines(store, applicationId, consentKey(address));
  }
  const personalData = await findIn(store, applicationId, identity);
  for await (const messages of personalData.messages()) {
    for (let i = 0; i < messages.length; i += MESSAGES_PER_READ) {
      const ids = messages.slice(i, i + MESSAGES_PER_READ).map(({ id }) => id);
      yield* messageLines(store, applicationId, ids);
    }
  }
  for await (const events of personalData.events()) {
    for (const event of events) {
      yield rawLine('event', envelopeJson(event, baseUrl));
      yield* receivedFiles(event, context);
    }
  }
  for (const place of personalData.places()) {
    yield* chatFileLines(store, { applicationId, ...place });
    yield* phoneLines(store, { applicationId, ...place });
  }
}

/** The copy of a merged contact, which unmerging needs. */
const mergeView = ({ mergedId, contact, evidence, createdAt }: ContactMerge & MergedContact) => ({
  contact_id: mergedId,
  external_id: contact.externalId,
  name: contact.name,
  locale: contact.locale,
  timezone: contact.timezone,
  fields: contact.fields === null ? {} : (JSON.parse(contact.fields) as unknown),
  created_at: timestamp(contact.createdAt),
  evidence,
  merged_at: timestamp(createdAt),
});

const line = (kind: Kind, data: unknown) => rawLine(kind, JSON.stringify(data));

const rawLine = (kind: Kind, json: string) => `{"kind":"${kind}","data":${json}}\n`;

async function* consentLines(store: Store, applicationId: Id, key: string) {
  const consents = await store.consents.of(applicationId, key);
  if (consents.length === 0) return;
  const changes = await store.consents.changes(applicationId, key);
  for (const consent of consents) {
    const history = changes.filter(({ scope }) => scope === consent.scope);
    yield line('consent', { ...consentView(consent), history: history.map(changeView) });
  }
}

const changeView = ({ state, source, evidence, createdAt }: ConsentChangeRow) => ({
  at: timestamp(createdAt),
  state,
  source,
  evidence,
});

async function* messageLines(store: Store, applicationId: Id, ids: readonly Id[]) {
  const reports = Map.groupBy(
    await store.personalData.reports(applicationId, ids),
    ({ messageId }) => messageId,
  );
  for (const message of await store.messages.getAll(applicationId, ids)) {
    const routes = await routesOf(store, message);
    yield rawLine('message', messageJson(message, undefined, { routes }));
    for (const attempt of await store.attempts.list(message)) {
      yield line('attempt', { message_id: message.id, ...attemptView(attempt, routes) });
    }
    for (const report of reports.get(message.id) ?? []) {
      if (report.state !== null) yield line('receipt', receiptView(report));
    }
  }
}

const routesOf = async (store: Store, { applicationId, id, route }: Message) =>
  route === null ? undefined : store.routes.list(applicationId, id);

const receiptView = ({ messageId, channelId, state, code, detail, createdAt }: Part) => ({
  message_id: messageId,
  channel_id: channelId,
  state,
  code,
  detail,
  created_at: timestamp(createdAt),
});

/** The files that came with a received message, except those of the web chat, which `chatFileLines` exports. */
async function* receivedFiles(
  { applicationId, id, media }: Event,
  { files, signal, store }: ExportContext,
): AsyncGenerator<string> {
  const references = JSON.parse(media ?? '[]') as MediaReference[];
  for (const [number, reference] of references.entries()) {
    const place = { applicationId, integrationId: reference.integrationId };
    if (await store.chatFiles.get(place, reference.reference)) continue;
    const { name = null, mediaType = null } = reference;
    const about = { event_id: id, number, name, media_type: mediaType };
    const file = await files.fetch(applicationId, reference, signal);
    yield* fileLine(about, 'fault' in file ? file : file.body);
  }
}

async function* chatFileLines(store: Store, place: Place & { applicationId: Id }) {
  for (const file of await store.personalData.chatFiles(place)) {
    const stored = await store.chatFiles.get(place, file.id);
    if (stored) yield* fileLine(storedFileView(file), [stored.bytes]);
  }
}

/** The entries on the phone of a simulated person. */
async function* phoneLines(store: Store, place: Place & { applicationId: Id }) {
  let after = { at: 0, id: 0 };
  for (;;) {
    const page = await store.personalData.phone(place, after, PHONE_PAGE);
    for (const entry of page) {
      yield line('sandbox', entryView(entry));
      for (const id of filesIn(entry)) {
        const file = await store.sandboxFiles.get(place, id);
        if (file) yield* fileLine(storedFileView(file), [file.bytes]);
      }
    }
    const last = page.at(-1);
    if (!last || page.length < PHONE_PAGE) return;
    after = { at: last.createdAt, id: last.id };
  }
}

const entryView = ({ integrationId, id, person, author, createdAt, body }: SandboxMessage) => ({
  id,
  integration_id: integrationId,
  person,
  author,
  created_at: timestamp(createdAt),
  entry: JSON.parse(body) as unknown,
});

/** The ids of the files that an entry of a phone shows. */
function filesIn({ body }: Pick<SandboxMessage, 'body'>): string[] {
  const { media = [], cards = [] } = JSON.parse(body) as ShownFiles;
  return [...media, ...cards.flatMap((card) => card.media ?? [])].flatMap(({ file }) => file ?? []);
}

interface ShownFiles {
  media?: { file?: string }[];
  cards?: { media?: { file?: string }[] }[];
}

const storedFileView = (file: {
  id: string;
  integrationId: Id;
  name: string;
  mediaType: string;
}) => ({
  file_id: file.id,
  integration_id: file.integrationId,
  name: file.name,
  media_type: file.mediaType,
});

/** One line, in pieces. A file that ends early, or that the vendor no longer has, says why in `error`. */
async function* fileLine(
  about: object,
  content: Extract<FoundFile, { fault: string }> | AsyncIterable<unknown> | Iterable<Uint8Array>,
): AsyncGenerator<string> {
  yield `{"kind":"file","data":${JSON.stringify(about).slice(0, -1)},"content":"`;
  let error: string | null = null;
  if ('fault' in content) error = content.fault;
  else {
    try {
      yield* base64Of(content);
    } catch (cause) {
      error = cause instanceof Error ? cause.message : String(cause);
    }
  }
  yield `","error":${JSON.stringify(error)}}}\n`;
}

async function* base64Of(
  content: AsyncIterable<unknown> | Iterable<Uint8Array>,
): AsyncGenerator<string> {
  let rest = Buffer.alloc(0);
  for await (const piece of content) {
    if (!(piece instanceof Uint8Array)) continue;
    const bytes = Buffer.concat([rest, piece]);
    const end = bytes.length - (bytes.length % 3);
    for (let i = 0; i < end; i += CHUNK_BYTES) {
      yield bytes.subarray(i, Math.min(end, i + CHUNK_BYTES)).toString('base64');
    }
    rest = Buffer.from(bytes.subarray(end));
  }
  if (rest.length > 0) yield rest.toString('base64');
}
