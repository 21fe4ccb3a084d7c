import { fc } from '../../support/fast-check.ts';

/* What happens to contacts and conversations in a random scenario. */

/** The addresses that a report or a request names. */
const FORMS = ['both', 'number', 'user id'] as const;

export type Form = (typeof FORMS)[number];

/** How the vendor takes a message. */
const FATES = ['sent', 'late', 'refused'] as const;

export type Fate = (typeof FATES)[number];

export type Step =
  | { do: 'write'; who: number; form: Form }
  | { do: 'change number' | 'change user id'; who: number }
  | { do: 'create'; who: number; form: Form; isNamed: boolean }
  | { do: 'add'; contact: number; who: number; form: Form }
  | { do: 'merge'; contact: number; other: number }
  | { do: 'unmerge'; contact: number }
  | { do: 'send'; contact: number; fate: Fate }
  | { do: 'send to number'; who: number; fate: Fate }
  | { do: 'read'; conversation: number }
  | { do: 'repeat' | 'list' | 'pass' };

const index = fc.nat(9);
const who = fc.nat(2);
const form = fc.constantFrom(...FORMS);
const fate = fc.constantFrom(...FATES);

const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant('write' as const), who, form }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('change number' as const, 'change user id' as const),
      who,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('create' as const), who, form, isNamed: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('add' as const), contact: index, who, form }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('merge' as const), contact: index, other: index }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('unmerge' as const), contact: index }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('send' as const), contact: index, fate }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('send to number' as const), who, fate }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('read' as const), conversation: index }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('repeat' as const, 'list' as const, 'pass' as const),
    }),
  },
);

/** Steps of a group happen at the same time. */
export const groups: fc.Arbitrary<Step[][]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.tuple(step) },
    { weight: 1, arbitrary: fc.array(step, { minLength: 2, maxLength: 3 }) },
  ),
  { minLength: 3, maxLength: 16 },
);
