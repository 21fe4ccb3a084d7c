import type { Integration } from '../model/integration.ts';
import { Problem, invalidFields } from '../model/problem.ts';
import type { Store } from '../store/store.ts';
import { actorAt } from './actors.ts';
import { type Behaviour, SANDBOX_FAULTS, isBlockedBy, numberOf } from './faults.ts';
import { loadSimulator } from './index.ts';
import type { Phone, PhoneFile } from './phone.ts';
import { placeLink } from './place-link.ts';
import { sampleOf } from './samples.ts';
import type { Sandbox } from './sandbox.ts';
import {
  ENTRY_KINDS,
  type EntryKind,
  type PhoneEntry,
  type ReceiptState,
  type ShownEntry,
  type ShownMedia,
  type ShownPlace,
} from './shown.ts';
import {
  type Actor,
  type Person,
  type ReportContext,
  type Simulator,
  type WrittenMessage,
  faultsOf,
  isReported,
  receiptStates,
} from './simulator.ts';

/** The address of the acting person, and of the room, if one is given. */
export interface ActorRequest {
  from?: string | undefined;
  room?: string | undefined;
}

interface ReplyRequest extends ActorRequest {
  text?: string | undefined;
  media?:
    | { type: ShownMedia['type']; data?: Buffer; mediaType?: string; name?: string }
    | undefined;
  place?: ShownPlace | undefined;
  /** The number of the message that it answers. */
  replyTo?: number | undefined;
}

export interface SandboxState {
  people: {
    address: string;
    name: string;
    isRoom: boolean;
    isOnlyInRooms: boolean;
    isBlocked: boolean;
  }[];
  faults: { name: string; number: string; description: string; address: string }[];
  /** Whether faults are triggered by a text instead of an address. */
  isMagicText: boolean;
  behaviours: Behaviour[];
  actions: EntryKind[];
  receipts: ReceiptState[];
}

/** Performs the actions of simulated people that the API requests. */
export class SandboxPeople {
  readonly #store: Store;
  readonly #sandbox: Sandbox;

  constructor(store: Store, sandbox: Sandbox) {
    this.#store = store;
    this.#sandbox = sandbox;
  }

  async describe(integration: Integration): Promise<SandboxState> {
    const simulator = await simulatorOf(integration);
    const { id: integrationId, applicationId } = integration;
    const addresses = await this.#store.sandboxMessages.people({ applicationId, integrationId });
    const behaviours = await this.#behaviours(integration);
    const others = addresses
      .filter((address) => !simulator.people.some((each) => each.address === address))
      .map((address): Person => ({ address, name: address }));
    const people = [...simulator.people, ...others].map((person) => {
      const { address, name, isRoom = false, isOnlyInRooms = false } = person;
      const isBlocked = isBlockedBy(behaviours, address);
      return { address, name, isRoom, isOnlyInRooms, isBlocked };
    });
    const faults = faultsOf(simulator).map((name) => ({
      name,
      number: numberOf(name),
      description: SANDBOX_FAULTS[name],
      address: simulator.magicAddress(numberOf(name)),
    }));
    const actions = ENTRY_KINDS.filter((kind) => isReported(simulator, kind));
    const receipts = receiptStates(simulator);
    const { isMagicText = false } = simulator;
    const standing = [...behaviours.standing];
    return { people, faults, isMagicText, behaviours: standing, actions, receipts };
  }

  /** Whether the simulator has a person with this address, even one who is reachable in rooms only. */
  async knows(integration: Integration, address: string): Promise<boolean> {
    const { people } = await simulatorOf(integration);
    return people.some((each) => each.address === address);
  }

  async reply(integration: Integration, request: ReplyRequest): Promise<PhoneEntry> {
    const simulator = await simulatorOf(integration, 'message');
    const { text, media, place } = request;
    if (text === undefined && !media && !place) {
      throw invalidFields({ pointer: '/text', detail: 'is required without media and place' });
    }
    const phone = this.#sandbox.phoneOf(integration);
    const answered =
      request.replyTo === undefined ? undefined : await this.#entry(integration, request.replyTo);
    const actor = actorOf(simulator, request, answered);
    const file = media && (await putFile(phone, media));
    const written = {
      ...(text !== undefined && { text }),
      ...(media && file && { media: { type: media.type, file } }),
    };
    // A place is a separate message.
    const placed = place && placeFor(simulator, actor, place);
    if (!placed) return this.#write(integration, simulator, { ...actor, ...written }, answered);
    if (text === undefined && !media) {
      return this.#write(integration, simulator, { ...actor, ...placed }, answered);
    }
    const first = await this.#write(integration, simulator, { ...actor, ...written }, answered);
    await this.#write(integration, simulator, { ...actor, ...placed }, undefined);
    return first;
  }

  async #write(
    integration: Integration,
    simulator: Simulator,
    content: WrittenMessage,
    answered: PhoneEntry | undefined,
  ): Promise<PhoneEntry> {
    const { text, media, place, ...actor } = content;
    const { file, type } = media ?? {};
    const entry: ShownEntry = {
      kind: 'message',
      ...(text !== undefined && { text }),
      ...(file &&
        type && { media: [{ type, file: file.id, name: file.name, media_type: file.mediaType }] }),
      ...(place && { place }),
      ...(answered && { reply_to: answered.vendorId }),
    };
    const { message } = simulator.reports;
    const written = { ...content, ...(answered && { replyTo: answered }) };
    const build = message && ((context: ReportContext) => message(written, context));
    return this.#sandbox.act(integration, actor, entry, build);
  }

  /** Presses a button of a message, by its label or its position from 1. */
  async press(
    integration: Integration,
    {
      message: number,
      button: wanted,
      ...who
    }: ActorRequest & { message: number; button: string | number },
  ): Promise<PhoneEntry> {
    const simulator = await simulatorOf(integration, 'press');
    const message = await this.#entry(integration, number);
    const buttons = [message.entry, ...(message.entry.cards ?? [])].flatMap(
      (content) => content.buttons ?? [],
    );
    const button =
      typeof wanted === 'number'
        ? buttons[wanted - 1]
        : buttons.find(({ label, value }) => label === wanted || value === wanted);
    if (!button)
      throw invalidFields({ pointer: '/button', detail: 'must be a button of the message' });
    if (button.url !== undefined) {
      throw invalidFields({
        pointer: '/button',
        detail: 'must not be a link: links report nothing',
      });
    }
    const actor = actorOf(simulator, who, message);
    const { press } = simulator.reports;
    const entry = { kind: 'press', text: button.label, reply_to: message.vendorId } as const;
    const pressed = { ...actor, message, button };
    return this.#sandbox.act(
      integration,
      actor,
      entry,
      press && ((context) => press(pressed, context)),
    );
  }

  async react(
    integration: Integration,
    { message: number, emoji, ...who }: ActorRequest & { message: number; emoji: string },
  ): Promise<PhoneEntry> {
    const simulator = await simulatorOf(integration, 'react');
    const message = await this.#entry(integration, number);
    const actor = actorOf(simulator, who, message);
    const { react } = simulator.reports;
    const entry = { kind: 'react', text: emoji, reply_to: message.vendorId } as const;
    const done = { ...actor, message, emoji };
    return this.#sandbox.act(
      integration,
      actor,
      entry,
      react && ((context) => react(done, context)),
    );
  }

  /** A person joins or leaves a room, or blocks the sender. */
  async move(
    integration: Integration,
    kind: 'join' | 'leave' | 'block' | 'unblock',
    who: ActorRequest,
  ): Promise<PhoneEntry> {
    const simulator = await simulatorOf(integration, kind);
    const actor = actorOf(simulator, who, undefined);
    const report = simulator.reports[kind];
    const build = report && ((context: ReportContext) => report(actor, context));
    const entry = await this.#sandbox.act(integration, actor, { kind }, build);
    if (kind === 'block' || kind === 'unblock') {
      await this.#sandbox.setBlocked(integration, actor.person.address, kind === 'block');
    }
    return entry;
  }

  async receipt(
    integration: Integration,
    { message: number, state }: { message: number; state: ReceiptState },
  ): Promise<void> {
    const simulator = await simulatorOf(integration);
    if (!receiptStates(simulator).includes(state)) {
      throw unsupported(integration, `messages as ${state}`);
    }
    const message = await this.#entry(integration, number);
    if (message.author === 'person') {
      throw invalidFields({ pointer: '/message', detail: 'must be a message of the application' });
    }
    if (simulator.hasReceipt?.(message) === false) {
      throw unsupported(integration, `this message as ${state}`);
    }
    await this.#sandbox.reportReceipt(integration, simulator, message, state);
  }

  /** Replaces the standing faults. */
  async setBehaviours(integration: Integration, standing: readonly Behaviour[]): Promise<void> {
    await this.#sandbox.changeBehaviours(integration, () => ({
      behaviours: { standing, spent: [] },
      answer: undefined,
    }));
  }

  /** Empties the phones and removes all faults. */
  async reset(integration: Integration): Promise<void> {
    const { id: integrationId, applicationId } = integration;
    await this.setBehaviours(integration, []);
    await this.#store.sandboxFiles.reset({ applicationId, integrationId });
  }

  async #behaviours(integration: Integration) {
    return this.#sandbox.changeBehaviours(integration, (behaviours) => ({ answer: behaviours }));
  }

  async #entry(integration: Integration, number: number): Promise<PhoneEntry> {
    const found = await this.#sandbox.phoneOf(integration).get(number);
    if (found && !found.entry.deleted) return found;
    throw new Problem('not_found', 'the phone has no such message');
  }
}

/** A place, or a link to it where the vendor has no places. */
function placeFor(
  { hasPlaces }: Simulator,
  { person, room }: Actor,
  place: ShownPlace,
): Pick<WrittenMessage, 'text' | 'place'> {
  const showsPlaces = hasPlaces?.((room ?? person).address) ?? false;
  return showsPlaces ? { place } : { text: placeLink(place) };
}

async function putFile(
  phone: Pick<Phone, 'putFile' | 'newId'>,
  { type, name, mediaType, data }: NonNullable<ReplyRequest['media']>,
): Promise<PhoneFile> {
  const sample = sampleOf(type);
  const file = {
    id: phone.newId(),
    name: name ?? sample.name,
    mediaType: mediaType ?? sample.mediaType,
    bytes: data ?? sample.bytes,
  };
  await phone.putFile(file);
  return file;
}

/** The acting person: the requested one, else the person of the conversation, else the first. */
function actorOf(
  simulator: Simulator,
  { from, room }: ActorRequest,
  about: PhoneEntry | undefined,
): Actor {
  const [first] = simulator.people;
  const here = room ?? about?.person;
  const place = here === undefined ? undefined : actorAt(simulator, here);
  if (room === undefined && !place?.room)
    return inRoom(simulator, actorAt(simulator, from ?? here ?? first.address));
  const address = here ?? '';
  const { person } = actorAt(simulator, from ?? first.address);
  return { person, room: place?.room ?? { address, name: address, isRoom: true } };
}

/** Puts people who are only in rooms into the first room. */
function inRoom({ people }: Simulator, actor: Actor): Actor {
  const room = people.find(({ isRoom }) => isRoom);
  return actor.person.isOnlyInRooms && !actor.room && room ? { ...actor, room } : actor;
}

/** The simulator of a sandbox integration. Throws if it is live, or if the vendor does not report such an action. */
async function simulatorOf(integration: Integration, kind?: EntryKind): Promise<Simulator> {
  const { id, mode, name } = integration;
  if (mode !== 'sandbox') throw new Problem('not_sandbox', `integration ${id} is live`);
  const simulator = await loadSimulator(name);
  if (!simulator) throw new Problem('no_simulator', `the sandbox does not simulate ${name}`);
  if (kind !== undefined && !isReported(simulator, kind)) {
    throw unsupported(integration, REPORTED_ACTIONS[kind]);
  }
  return simulator;
}

const REPORTED_ACTIONS: Readonly<Record<EntryKind, string>> = {
  message: 'messages',
  press: 'button presses',
  react: 'reactions',
  join: 'people who join',
  leave: 'people who leave',
  block: 'blocks',
  unblock: 'the end of a block',
};

const unsupported = ({ name }: Integration, what: string) =>
  new Problem('unsupported', `${name} does not report ${what}`);
