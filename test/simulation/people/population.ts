import assert from 'node:assert/strict';

import { textMember } from '../../../src/lib/json/json-member.ts';
import type { EngineName } from '../../../src/store/schema.ts';
import { SECRETS } from '../../channels/meta/proof.ts';
import { TOKEN } from '../../emulators/meta/graph.ts';
import { NUMBER_ID } from '../../emulators/meta/whatsapp.ts';
import { type HttpPeer, type Reply, type Request, openHttp } from '../../emulators/server/http.ts';
import { receiveWebhook } from '../../events/whatsapp-service.ts';
import { type Step as Report, payloadOf } from '../../people/whatsapp-reports.ts';
import { TestClock } from '../../support/clock.ts';
import { integrate } from '../../support/service/activity.ts';
import type { Client } from '../../support/service/client.ts';
import {
  type DeliveryService,
  asTimePasses,
  openDelivery,
} from '../../support/service/delivery.ts';
import { checkConversations } from './conversations.ts';
import { Links } from './links.ts';
import type { Fate, Form, Step } from './steps.ts';

export interface Contact {
  id: number;
  addresses: { id: number; address: string; state: string; attested_by: number | null }[];
}

/** A message to a contact. */
interface Sent {
  id: number;
  text: string;
  contactId: number | undefined;
  /** How many contacts had been unmerged by then. */
  unmerged: number;
}

const CREDENTIALS = { token: TOKEN, username: NUMBER_ID, ...SECRETS };
const UNAVAILABLE: Reply = { status: 503, body: { error: { code: 131_016, message: 'later' } } };
const REFUSED: Reply = { status: 400, body: { error: { code: 131_026, message: 'not there' } } };

const textOf = ({ json }: Request) => textMember(json, 'text', 'body') ?? '';

/** A service with a WhatsApp account, in which random scenarios run one after the other. */
export class Surroundings implements AsyncDisposable {
  readonly clock: TestClock;
  readonly sb: DeliveryService;
  /** Responses to the next requests with a text; others succeed. */
  readonly replies: Map<string, Reply[]>;

  private constructor(clock: TestClock, sb: DeliveryService, replies: Map<string, Reply[]>) {
    this.clock = clock;
    this.sb = sb;
    this.replies = replies;
  }

  static async open(engine: EngineName): Promise<Surroundings> {
    const clock = new TestClock();
    const replies = new Map<string, Reply[]>();
    let sent = 0;
    const answer = (request: Request): Reply =>
      replies.get(textOf(request))?.shift() ?? {
        status: 200,
        body: { messaging_product: 'whatsapp', messages: [{ id: `wamid.sent.${++sent}` }] },
      };
    const sb = await openDelivery<HttpPeer>(engine, {
      channel: 'whatsapp',
      open: () => openHttp(answer),
      credentials: CREDENTIALS,
      clock,
    });
    return new Surroundings(clock, sb, replies);
  }

  async population(createsContacts: boolean): Promise<Population> {
    const { sb, clock } = this;
    const { application, app } = await sb.service.application();
    const path = `/1/applications/${application.id}/policies`;
    await sb.api.put(path, { contacts: { create_on_inbound: createsContacts } });
    const { id: integrationId } = await integrate(app, application.id, {
      name: 'whatsapp',
      ...CREDENTIALS,
    });
    const own = { ...sb, app, applicationId: application.id, integrationId };
    return new Population(own, clock, this.replies);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sb[Symbol.asyncDispose]();
  }
}

/** People who write and are written to, with checks of what must always hold for them. */
export class Population {
  readonly #sb: DeliveryService;
  readonly #clock: TestClock;
  readonly #replies: Map<string, Reply[]>;
  /** The current number and user id of each person. */
  readonly #people = [0, 1, 2].map(() => ({ number: 0, userId: 0 }));
  readonly #links = new Links();
  /** Addresses of contacts that were unmerged: no vendor may join them again. */
  readonly #separated: { one: string[]; other: string[] }[] = [];
  readonly #sent: Sent[] = [];
  /** The number of received messages when a conversation was last read. */
  readonly #read = new Map<string, number>();
  #contactIds: number[] = [];
  #unmerged = 0;
  #created = 0;
  #last: object | undefined;

  constructor(sb: DeliveryService, clock: TestClock, replies: Map<string, Reply[]>) {
    this.#sb = sb;
    this.#clock = clock;
    this.#replies = replies;
  }

  get #app(): Client {
    return this.#sb.app;
  }

  /** Takes the steps at the same time, and checks the contacts afterwards. */
  async take(steps: readonly Step[]): Promise<void> {
    await Promise.all(steps.map((step) => this.#take(step, steps.length === 1)));
    await this.#checkContacts();
  }

  /** Waits until all messages are settled, and checks everything. */
  async finish(): Promise<void> {
    for (const { id } of this.#sent) {
      await asTimePasses(this.#clock, 1_000, `message ${id} is settled`, async () => {
        const { state } = await this.#sb.show(id);
        return state !== 'queued' && state !== 'sending';
      });
    }
    this.#checkOrder();
    const places = { integrationId: this.#sb.integrationId, read: this.#read };
    await checkConversations(this.#app, places);
  }

  async #take(step: Step, isAlone: boolean): Promise<unknown> {
    switch (step.do) {
      case 'write': {
        const from = this.#partyOf(step.who, step.form);
        this.#links.join(...namesIn(from));
        return this.#report({ kind: 'message', from });
      }
      case 'change number':
      case 'change user id': {
        const from = this.#partyOf(step.who, 'both');
        const person = this.#person(step.who);
        person.userId++;
        const isNumber = step.do === 'change number';
        if (isNumber) person.number++;
        const to = this.#partyOf(step.who, 'both');
        this.#links.join(...namesIn(from), ...namesIn(to));
        return this.#report({ kind: isNumber ? 'system' : 'user_id_update', from, to });
      }
      case 'repeat':
        return this.#last && receiveWebhook(this.#sb, this.#last);
      case 'create': {
        const addresses = this.#addressesOf(step.who, step.form);
        const externalId = step.isNamed ? `customer-${++this.#created}` : undefined;
        const { status } = await this.#app.post('/1/contacts', {
          ...(externalId !== undefined && { external_id: externalId }),
          addresses: addresses.map((address) => ({ channel: 'whatsapp', address })),
        });
        assert.ok([201, 409].includes(status), String(status));
        if (status === 201) this.#links.join(...addresses);
        return undefined;
      }
      case 'add': {
        const id = this.#contactAt(step.contact);
        const [address = ''] = this.#addressesOf(step.who, step.form);
        const body = { channel: 'whatsapp', address };
        const { status } = await this.#app.post(`/1/contacts/${id}/addresses`, body);
        assert.ok([201, 404, 409].includes(status), String(status));
        if (status === 201) await this.#joinContact(id, [address]);
        return undefined;
      }
      case 'merge':
        return this.#merge(this.#contactAt(step.contact), this.#contactAt(step.other));
      case 'unmerge':
        return this.#unmerge(this.#contactAt(step.contact), isAlone);
      case 'send':
        return this.#send(`contact:${this.#contactAt(step.contact)}`, step.fate);
      case 'send to number':
        return this.#send(this.#partyOf(step.who, 'number').number ?? '', step.fate);
      case 'read':
        return isAlone ? this.#markRead(step.conversation) : undefined;
      case 'list':
        return Promise.all([this.#app.get('/1/conversations'), this.#app.get('/1/conversations')]);
      case 'pass':
        return this.#clock.advanceGently(700);
    }
  }

  #report(report: Report): Promise<void> {
    this.#last = payloadOf(report);
    return receiveWebhook(this.#sb, this.#last);
  }

  async #merge(id: number, otherId: number): Promise<void> {
    const before = await Promise.all([this.#contact(id), this.#contact(otherId)]);
    const { status } = await this.#app.post(`/1/contacts/${id}/merge`, { contact_id: otherId });
    assert.ok([200, 404, 409, 422].includes(status), String(status));
    if (status !== 200) return;
    const named = before.flatMap((one) => one?.addresses.map(({ address }) => address) ?? []);
    this.#links.join(nameOf(id), nameOf(otherId), ...named);
    const now = new Set([...named, ...(await this.#addresses(id))]);
    const isLifted = ({ one, other }: { one: string[]; other: string[] }) =>
      one.some((address) => now.has(address)) && other.some((address) => now.has(address));
    const kept = this.#separated.filter((pair) => !isLifted(pair));
    this.#separated.splice(0, this.#separated.length, ...kept);
  }

  /** The contact that was merged first comes back with what it brought, and nothing else is lost. */
  async #unmerge(id: number, isAlone: boolean): Promise<void> {
    const merges = (await this.#app.get(`/1/contacts/${id}/merges`)).body;
    const otherId = merges.data?.at(-1)?.contact_id ?? 0;
    const before = await this.#addresses(id);
    await this.#joinContact(id, before);
    const { status } = await this.#app.post(`/1/contacts/${id}/unmerge`, { contact_id: otherId });
    assert.ok([200, 404, 409].includes(status), String(status));
    if (status !== 200) return;
    this.#unmerged++;
    if (!isAlone) return;
    const [one, other] = [await this.#addresses(id), await this.#addresses(otherId)];
    assert.deepEqual([...one, ...other].toSorted(), before.toSorted(), 'nothing is lost');
    this.#separated.push({ one, other });
  }

  async #send(to: string, fate: Fate): Promise<void> {
    const text = `${this.#sb.applicationId} ${this.#sent.length} ${this.#clock.now()} ${Math.random()}`;
    const unmerged = this.#unmerged;
    if (fate !== 'sent') this.#replies.set(text, [fate === 'late' ? UNAVAILABLE : REFUSED]);
    const { status, body } = await this.#app.post('/1/message', {
      message: {
        '@context': 'https://www.w3.org/ns/activitystreams',
        type: 'Create',
        generator: { type: 'Service', name: 'whatsapp' },
        to: { type: 'Person', id: to },
        object: { type: 'Note', content: text },
      },
    });
    assert.ok([202, 422].includes(status), JSON.stringify(body));
    if (status === 202)
      this.#sent.push({ id: body.id, text, contactId: body.contact_id, unmerged });
  }

  async #markRead(index: number): Promise<void> {
    const { data } = (await this.#app.get('/1/conversations')).body;
    const one = data[index % Math.max(1, data.length)];
    if (!one) return;
    const events = (await this.#app.get('/1/events?limit=1000')).body.data;
    const received = events.filter(
      (event: { type: string; data: { actor?: { id: string } } }) =>
        event.type === 'message.received' && event.data.actor?.id === one.to,
    );
    assert.equal((await this.#app.post(`/1/conversations/${one.id}/read`)).status, 204);
    this.#read.set(one.to, received.length);
  }

  /** Each address has one owner, and no contact has addresses of which nobody said that they are one person's. */
  async #checkContacts(): Promise<void> {
    const { data } = (await this.#app.get('/1/contacts?limit=1000')).body as { data: Contact[] };
    this.#contactIds = data.map(({ id }) => id).toSorted((a, b) => a - b);
    const all = data.flatMap(({ addresses }) => addresses.map(({ address }) => address));
    assert.equal(new Set(all).size, all.length, 'an address has two owners');
    const ownerOf = new Map(
      data.flatMap(({ id, addresses }) => addresses.map((one) => [one.id, id] as const)),
    );
    for (const { id, addresses } of data) {
      const own = addresses.map(({ address }) => address);
      for (const { address, attested_by: by } of addresses) {
        const owner = by === null ? id : (ownerOf.get(by) ?? id);
        assert.equal(owner, id, `${address} is not with the address that attested it`);
      }
      assert.ok(this.#links.areJoined(own), `contact ${id} without evidence: ${own.join(', ')}`);
      for (const { one, other } of this.#separated) {
        const has = (some: string[]) => some.some((address) => own.includes(address));
        assert.ok(!(has(one) && has(other)), `contact ${id} was unmerged: ${own.join(', ')}`);
      }
    }
    const [first] = all;
    if (first === undefined) return;
    const search = await this.#app.get(`/1/contacts?search=${encodeURIComponent(first)}`);
    const found: Contact[] = search.body.data;
    assert.ok(found.some(({ addresses }) => addresses.some(({ address }) => address === first)));
  }

  /** Messages to one contact leave in the order in which they were accepted. */
  #checkOrder(): void {
    const attempts = this.#sb.peer.seen.map(textOf);
    for (const [i, { id, text, contactId, unmerged }] of this.#sent.entries()) {
      const later = this.#sent
        .slice(i + 1)
        .filter((one) => one.contactId === contactId && one.unmerged === unmerged);
      if (contactId === undefined) continue;
      for (const one of later) {
        const first = attempts.indexOf(one.text);
        const isInOrder = first === -1 || attempts.lastIndexOf(text) < first;
        assert.ok(isInOrder, `message ${one.id} was sent before ${id}`);
      }
    }
  }

  #person(who: number) {
    const person = this.#people[who];
    assert.ok(person);
    return person;
  }

  #partyOf(who: number, form: Form): { number?: string; userId?: string } {
    const { number, userId } = this.#person(who);
    return {
      ...(form !== 'user id' && { number: `1650555${who}${String(number).padStart(3, '0')}` }),
      ...(form !== 'number' && { userId: `US.${who}${String(userId).padStart(9, '0')}` }),
    };
  }

  readonly #addressesOf = (who: number, form: Form) => namesIn(this.#partyOf(who, form));

  #contactAt(index: number): number {
    return this.#contactIds[index % Math.max(1, this.#contactIds.length)] ?? 1;
  }

  async #contact(id: number): Promise<Contact | undefined> {
    const { status, body } = await this.#app.get(`/1/contacts/${id}`);
    return status === 200 ? body : undefined;
  }

  async #addresses(id: number): Promise<string[]> {
    return (await this.#contact(id))?.addresses.map(({ address }) => address) ?? [];
  }

  /** A request said that the contact has these addresses, beside those that it has already. */
  async #joinContact(id: number, addresses: readonly string[]): Promise<void> {
    this.#links.join(nameOf(id), ...addresses, ...(await this.#addresses(id)));
  }
}

const nameOf = (contactId: number) => `contact:${contactId}`;

/** The addresses as contacts have them. */
const namesIn = ({ number, userId }: { number?: string; userId?: string }): string[] => [
  ...(number === undefined ? [] : [`+${number}`]),
  ...(userId === undefined ? [] : [userId]),
];
