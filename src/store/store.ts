import { type Place, SealError, type Sealer, keyOf, nameOfKey } from '../lib/crypto/seal.ts';
import type { Id } from '../model/id.ts';
import { Applications } from './accounts/applications.ts';
import { AuditLog } from './accounts/audit.ts';
import { Changes } from './accounts/changes.ts';
import { Invitations } from './accounts/invitations.ts';
import { Keys } from './accounts/keys.ts';
import { Sessions } from './accounts/sessions.ts';
import { SignInAttempts } from './accounts/sign-in-attempts.ts';
import { Teams } from './accounts/teams.ts';
import { Tickets } from './accounts/tickets.ts';
import { Users } from './accounts/users.ts';
import { ChatFiles } from './chat/chat-files.ts';
import { Chats } from './chat/chats.ts';
import { Deliveries } from './delivery/deliveries.ts';
import { Health } from './delivery/health.ts';
import { Integrations } from './delivery/integrations.ts';
import { Ownerships } from './delivery/ownerships.ts';
import type { Engine } from './engine.ts';
import { Endpoints } from './feed/endpoints.ts';
import { Events } from './feed/events.ts';
import { FeedSearch } from './feed/feed-search.ts';
import { WebhookDeliveries } from './feed/webhook-deliveries.ts';
import { Aliases } from './messages/aliases.ts';
import { Attempts } from './messages/attempts.ts';
import { Consents } from './messages/consents.ts';
import { Costs } from './messages/costs.ts';
import { Idempotency } from './messages/idempotency.ts';
import { IgnoredReports } from './messages/ignored.ts';
import { InboundEvents } from './messages/inbound.ts';
import { Jobs } from './messages/jobs.ts';
import { Lanes } from './messages/lanes.ts';
import { Messages } from './messages/messages.ts';
import { Receipts } from './messages/receipts.ts';
import { Schedule } from './messages/schedule.ts';
import { Windows } from './messages/windows.ts';
import { migrate, pendingMigrations } from './migrate.ts';
import { AddressMoves } from './people/address-moves.ts';
import { ConsentDigests } from './people/consent-digests.ts';
import { Contacts } from './people/contacts.ts';
import { Conversations } from './people/conversations.ts';
import { Erasures } from './people/erasures.ts';
import { Identities } from './people/identities.ts';
import { ContactImports } from './people/imports.ts';
import { Merges } from './people/merges.ts';
import { PersonalData } from './people/personal-data.ts';
import { Pools } from './pools/pools.ts';
import { Routes } from './routes/routes.ts';
import { SandboxFiles } from './sandbox/sandbox-files.ts';
import { SandboxMessages } from './sandbox/sandbox-messages.ts';
import { SandboxReports } from './sandbox/sandbox-reports.ts';
import { Overview } from './statistics/overview.ts';
import { Statistics } from './statistics/statistics.ts';
import { StoreTotalsReader } from './statistics/store-totals.ts';
import { Templates } from './templates/templates.ts';
import { VendorTemplates } from './templates/vendor-templates.ts';
import { Purges } from './upkeep/purges.ts';
import { resealAll } from './upkeep/reseal.ts';
import { Retention } from './upkeep/retention.ts';

export const MARKER: Place = { table: 'ring_marker', row: 1, field: 'sealed' };

/** All persistent data, on either engine, with the same guarantees. */
export class Store {
  readonly engine: Engine;
  readonly teams: Teams;
  readonly users: Users;
  readonly keys: Keys;
  readonly sessions: Sessions;
  readonly signInAttempts: SignInAttempts;
  readonly invitations: Invitations;
  readonly audit: AuditLog;
  readonly applications: Applications;
  readonly changes: Changes;
  readonly integrations: Integrations;
  readonly messages: Messages;
  readonly attempts: Attempts;
  readonly lanes: Lanes;
  readonly schedule: Schedule;
  readonly routes: Routes;
  readonly pools: Pools;
  readonly ownerships: Ownerships;
  readonly health: Health;
  readonly deliveries: Deliveries;
  readonly events: Events;
  readonly feedSearch: FeedSearch;
  readonly endpoints: Endpoints;
  readonly webhookDeliveries: WebhookDeliveries;
  readonly inboundEvents: InboundEvents;
  readonly receipts: Receipts;
  readonly ignored: IgnoredReports;
  readonly aliases: Aliases;
  readonly consents: Consents;
  readonly contacts: Contacts;
  readonly personalData: PersonalData;
  readonly consentDigests: ConsentDigests;
  readonly erasures: Erasures;
  readonly conversations: Conversations;
  readonly contactImports: ContactImports;
  readonly identities: Identities;
  readonly merges: Merges;
  readonly addressMoves: AddressMoves;
  readonly windows: Windows;
  readonly costs: Costs;
  readonly templates: Templates;
  readonly vendorTemplates: VendorTemplates;
  readonly tickets: Tickets;
  readonly chats: Chats;
  readonly chatFiles: ChatFiles;
  readonly sandboxMessages: SandboxMessages;
  readonly sandboxFiles: SandboxFiles;
  readonly sandboxReports: SandboxReports;
  readonly statistics: Statistics;
  readonly overview: Overview;
  readonly jobs: Jobs;
  readonly idempotency: Idempotency;
  readonly purges: Purges;
  readonly retention: Retention;
  readonly totals: StoreTotalsReader;
  readonly #sealer: Sealer;

  constructor(engine: Engine, sealer: Sealer) {
    this.engine = engine;
    this.teams = new Teams(engine);
    this.users = new Users(engine);
    this.keys = new Keys(engine, sealer);
    this.signInAttempts = new SignInAttempts(engine, sealer);
    this.sessions = new Sessions(engine, this.keys);
    this.invitations = new Invitations(engine);
    this.audit = new AuditLog(engine);
    this.endpoints = new Endpoints(engine, sealer);
    this.applications = new Applications(engine, this.endpoints);
    this.changes = new Changes(engine);
    this.integrations = new Integrations(engine, sealer);
    this.messages = new Messages(engine);
    this.attempts = new Attempts(engine);
    this.lanes = new Lanes(engine);
    this.schedule = new Schedule(engine);
    this.routes = new Routes(engine);
    this.pools = new Pools(engine);
    this.ownerships = new Ownerships(engine);
    this.health = new Health(engine);
    this.deliveries = new Deliveries(engine, sealer);
    this.events = new Events(engine);
    this.feedSearch = new FeedSearch(engine);
    this.webhookDeliveries = new WebhookDeliveries(engine);
    this.consentDigests = new ConsentDigests(engine, sealer);
    this.inboundEvents = new InboundEvents(engine, this.consentDigests);
    this.receipts = new Receipts(engine, this.consentDigests);
    this.ignored = new IgnoredReports(engine);
    this.aliases = new Aliases(engine);
    this.consents = new Consents(engine, this.consentDigests);
    this.contacts = new Contacts(engine);
    this.personalData = new PersonalData(engine);
    this.erasures = new Erasures(engine, sealer, this.consentDigests);
    this.conversations = new Conversations(engine);
    this.contactImports = new ContactImports(engine);
    this.identities = new Identities(engine, this.contacts);
    this.merges = new Merges(engine);
    this.addressMoves = new AddressMoves(engine);
    this.windows = new Windows(engine);
    this.costs = new Costs(engine);
    this.templates = new Templates(engine);
    this.vendorTemplates = new VendorTemplates(engine);
    this.tickets = new Tickets(engine, sealer);
    this.chats = new Chats(engine);
    this.chatFiles = new ChatFiles(engine);
    this.sandboxMessages = new SandboxMessages(engine);
    this.sandboxFiles = new SandboxFiles(engine);
    this.sandboxReports = new SandboxReports(engine);
    this.statistics = new Statistics(engine);
    this.overview = new Overview(engine);
    this.jobs = new Jobs(engine);
    this.idempotency = new Idempotency(engine, sealer);
    this.purges = new Purges(engine);
    this.retention = new Retention(engine, this.events);
    this.totals = new StoreTotalsReader(engine);
    this.#sealer = sealer;
  }

  /** Signs URLs for strangers, with keys derived from the ring. */
  get signer(): Pick<Sealer, 'sign' | 'isSigned'> {
    return this.#sealer;
  }

  /** The next id of anything but messages and events. */
  nextId(): Promise<Id> {
    return this.engine.nextId();
  }

  migrate(): Promise<string[]> {
    return migrate(this.engine);
  }

  pendingMigrations(): Promise<string[]> {
    return pendingMigrations(this.engine);
  }

  /** Whether the key ring opens the sealed values of this store; undefined if there are none yet. */
  async ringFits(): Promise<boolean | undefined> {
    const marker = await this.engine.db
      .selectFrom('ringMarker')
      .select('sealed')
      .executeTakeFirst();
    if (!marker) return undefined;
    try {
      const fits = this.#sealer.open(marker.sealed, MARKER) === MARKER.table;
      this.#sealer.sealWith(keyOf(marker.sealed));
      return fits;
    } catch (error) {
      if (error instanceof SealError) return false;
      throw error;
    }
  }

  /** Marks the store as sealed with this ring, unless it is already marked. */
  async storeRingMarker(): Promise<void> {
    await this.engine.db
      .insertInto('ringMarker')
      .values({ id: 1, sealed: this.#sealer.seal(MARKER.table, MARKER) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }

  /** The names of the ring's keys, starting with the one that the store is sealed with. */
  async ringNames(): Promise<string[]> {
    await this.ringFits();
    return this.#sealer.names;
  }

  /** The target of a key rotation, and whether the store is already sealed with it. */
  async newestKey(): Promise<{ id: string; name: string; isCurrent: boolean }> {
    this.#sealer.refresh();
    await this.ringFits();
    const { newest, primary } = this.#sealer;
    return { id: newest.id, name: nameOfKey(newest), isCurrent: newest.id === primary };
  }

  /** Makes every node seal with the ring's first key, within seconds. */
  async resealRingMarker(): Promise<void> {
    this.#sealer.refresh();
    this.#sealer.sealWith(this.#sealer.newest.id);
    const sealed = this.#sealer.seal(MARKER.table, MARKER);
    await this.engine.db.updateTable('ringMarker').set({ sealed }).execute();
  }

  /** Re-encrypts every secret with the ring's first key; returns how many. */
  async resealAll(): Promise<number> {
    await this.resealRingMarker();
    const count = await resealAll(this.engine, this.#sealer);
    // Nodes decrypt cached values on use; the old key may be gone by then.
    await this.changes.recordAll();
    return count;
  }

  close(): Promise<void> {
    return this.engine.close();
  }
}
