/*
 * Why a message waits for a retry or has failed, and what to do about it. The `reason` of a message is one of these
 * names.
 */
export const FAULTS = {
  credentials: {
    title: 'The channel refused the credentials',
    help: 'Correct the credentials of the integration; its messages are then sent in order.',
  },
  recipient: {
    title: 'The channel cannot reach the recipient',
    help: 'Check the recipient: it may not exist, may have blocked the sender, or may never have written to it.',
  },
  window_closed: {
    title: 'The person last wrote too long ago',
    help: 'Send a template, or name one in `outside_window`. The person can also write first.',
  },
  template_refused: {
    title: 'The channel refused the template',
    help: 'Sync the templates of the integration, and check the language, the parameters and the status of the template.',
  },
  content: {
    title: 'The channel refused the content',
    help: 'Change the message as the detail says, and send it again.',
  },
  undelivered: {
    title: 'The channel reported that delivery failed',
    help: 'Check the recipient and the detail, then resend the message.',
  },
  unsupported: {
    title: 'The channel does not support such a message',
    help: 'Choose another channel or another kind of message.',
  },
  transient: {
    title: 'The last attempt failed',
    help: 'No action needed: Switchboard retries.',
  },
  interrupted: {
    title: 'The process that was sending it ended, twice',
    help: 'No action needed: Switchboard retries it once more, separately from other such messages.',
  },
  crashed: {
    title: 'Every process that was sending it ended',
    help: 'It may or may not have been sent. It is held because it may be what crashes the service: read the log before you resend it.',
  },
  gave_up: {
    title: 'All attempts failed',
    help: 'Fix the problem in the detail, then resend the message.',
  },
  uncertain: {
    title: 'It may or may not have been sent',
    help: "The channel's response was lost. Check whether the message arrived; if not, resend it.",
  },
  suppressed: {
    title: 'The recipient does not accept such messages',
    help: 'Ask the person to opt in again, or send another category of message.',
  },
  quiet_hours: {
    title: 'Refused because of quiet hours',
    help: 'Resend it outside the quiet hours of the application, or change its policies.',
  },
  deadline: {
    title: 'The condition of the route was not met in time',
    help: 'No action needed: the next route was started.',
  },
  failover: {
    title: 'The member of the pool could not send in time',
    help: 'No action needed: the next member sends it.',
  },
  no_integration: {
    title: 'The integration of the route was deleted',
    help: 'No action needed: the next route was started.',
  },
  no_address: {
    title: 'The contact had no usable address when the message was due',
    help: 'Give the contact an address that an integration reaches, then send the message again.',
  },
  routes_exhausted: {
    title: 'No route met its condition',
    help: 'The detail says why the last route ended; `routes` of the message says so for each. Resend it if it still matters.',
  },
  expired: {
    title: 'Expired before it was sent',
    help: 'Resend it if it still matters; the end time is then ignored.',
  },
} as const satisfies Record<string, { title: string; help: string }>;

export type FaultName = keyof typeof FAULTS;

export function findFault(name: string): { title: string; help: string } | undefined {
  return Object.entries(FAULTS).find(([key]) => key === name)?.[1];
}
