/*
 * Why a message waits for another try or came to nothing, and what to do about it. What a message's
 * `reason` says is one of these names.
 */
export const FAULTS = {
  credentials: {
    title: 'The channel refused the credentials',
    help: 'Correct the credentials of the integration: its messages then go out in order.',
  },
  recipient: {
    title: 'The channel cannot reach the recipient',
    help: 'Check the recipient: it may not exist, may have blocked the sender, or may never have written to it.',
  },
  content: {
    title: 'The channel refused the content',
    help: 'Change the message as the detail says, and send it anew.',
  },
  undelivered: {
    title: 'The channel reported that it did not arrive',
    help: 'Check the recipient, and what the detail says; then resend the message.',
  },
  unsupported: {
    title: 'The channel cannot carry such a message',
    help: 'Choose another channel, or another kind of message.',
  },
  transient: {
    title: 'The last try failed',
    help: 'Nothing needs to be done: it is tried again.',
  },
  interrupted: {
    title: 'The process that was sending it has ended, twice',
    help: 'Nothing needs to be done: it is tried once more, apart from others like it.',
  },
  crashed: {
    title: 'Each process that was sending it has ended',
    help: 'Nobody knows whether it was sent. It is set aside, since it may be what ends the service: look into its log before you resend it.',
  },
  gave_up: {
    title: 'Every try failed',
    help: 'Find out what the detail says, then resend the message.',
  },
  uncertain: {
    title: 'Nobody knows whether it was sent',
    help: 'The answer of the channel was lost. Look whether it has arrived; if it has not, resend it.',
  },
  expired: {
    title: 'It was not sent before its end time',
    help: 'Resend it if it still matters; its end time is then ignored.',
  },
} as const satisfies Record<string, { title: string; help: string }>;

export type FaultName = keyof typeof FAULTS;

export function findFault(name: string): { title: string; help: string } | undefined {
  return Object.entries(FAULTS).find(([known]) => known === name)?.[1];
}
