import { optionFaults } from '../channels/options.ts';
import { type Problem, invalidFields } from '../model/problem.ts';
import type { MessageOptions } from '../model/sending/instructions.ts';
import type { Draft } from './draft.ts';
import type { Candidate } from './routing.ts';

/**
 * The options that a message is sent with: the integration's defaults, overridden by those of the message. They are
 * stored with the message, so that every part and every retry has the same.
 */
export function optionsOf(
  { channel, options: defaults }: Candidate,
  { options, optionsPointer = '/options' }: Draft,
): { options: MessageOptions; problem?: Problem } {
  if (!options) return { options: defaults };
  const merged = { ...defaults, ...options };
  const errors = channel ? optionFaults(channel, options, optionsPointer) : [];
  return errors.length === 0
    ? { options: merged }
    : { options: merged, problem: invalidFields(...errors) };
}

/** Throws a Problem for an unknown option or an invalid value. */
export function checkOptions(candidate: Candidate, draft: Draft): MessageOptions {
  const { options, problem } = optionsOf(candidate, draft);
  if (problem) throw problem;
  return options;
}
