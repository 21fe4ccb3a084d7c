import type { CredentialName } from '../model/integration.ts';

/** One of the seven strings, and what it means to a channel. */
export interface CredentialField {
  name: CredentialName;
  label: string;
  /** Answers "where do I find this?". */
  help: string;
  /** Whether it must be masked wherever a person may look. */
  secret: boolean;
}

/** A limit that the vendor sets, with the page that says so. */
export interface Limit {
  what: string;
  link: string;
}

/**
 * A messaging channel. It declares its facts as data, and defines what it can do as functions: what it
 * does not define, it cannot do.
 */
export interface Channel {
  /** What an integration's `name` says: lower case, hyphens. */
  name: string;
  title: string;
  /** Other names that mean this channel. */
  aliases?: readonly string[];
  /** The vendor's page on sending. */
  docs: string;
  credentials: readonly CredentialField[];
  /** Sets of credentials, any one of which is enough to send. */
  needs: readonly (readonly CredentialName[])[];
  recipient: {
    /** What `to.id` is, for a person to read. */
    form: string;
    example: string;
    /** Says what is wrong with an address, or nothing when it can be one. */
    check(id: string): string | undefined;
  };
  limits: readonly Limit[];
}

/** Which credentials are missing, by the set that lacks the fewest; none when one set is complete. */
export function missingCredentials(
  channel: Pick<Channel, 'needs'>,
  supplied: readonly CredentialName[],
): CredentialName[] {
  const gaps = channel.needs.map((set) => set.filter((name) => !supplied.includes(name)));
  return gaps.toSorted((a, b) => a.length - b.length)[0] ?? [];
}

/** A check for addresses of a fixed form. */
export function matching(pattern: RegExp, otherwise: string): (id: string) => string | undefined {
  return (id) => (pattern.test(id) ? undefined : otherwise);
}
