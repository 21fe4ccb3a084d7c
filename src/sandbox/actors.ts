import type { PhoneEntry, ShownEntry } from './shown.ts';
import type { Actor, Person, Simulator } from './simulator.ts';

/** An entry by a person, in their own conversation or in a room. */
export function entryBy(
  { person, room }: Actor,
  number: number,
  vendorId: string,
  entry: ShownEntry,
): Omit<PhoneEntry, 'createdAt'> {
  return {
    number,
    person: (room ?? person).address,
    author: 'person',
    vendorId,
    entry: { ...entry, ...(room && { sender: person.name }) },
  };
}

/** The person with this address; in a room, its first member. */
export function actorAt(simulator: Simulator, address: string): Actor {
  const listed = simulator.people.find((each) => each.address === address);
  const [first] = simulator.people;
  if (listed?.isRoom) return { person: first, room: listed };
  if (!listed && simulator.isRoom?.(address)) {
    return { person: first, room: { address, name: address, isRoom: true } };
  }
  const person: Person = listed ?? { address, name: address };
  return { person };
}
