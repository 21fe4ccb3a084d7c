/** Groups of operations. */
export const TAGS = {
  Messages: 'Send messages and track their delivery.',
  Applications: 'Sending applications of a team.',
  Integrations: 'The channels of an application, with their credentials and health.',
  Pools: 'Groups of integrations: if one cannot send, another one does.',
  Consents: 'What people allow for an address, and the proof.',
  Contacts: 'People, with their addresses on all channels.',
  Conversations: 'Messages between integrations and people, in both directions.',
  Templates: 'Templates of the application, and those of the vendors.',
  Sandbox:
    'Simulated vendors: phones that show what people received, their answers, and faults on demand.',
  Events: 'Received messages and delivery reports: one feed per application.',
  Webhooks: "Endpoints that receive an application's events.",
  Hooks: "Endpoints that receive vendors' webhooks.",
  'Web chat': 'Chat widget and its pages.',
  Channels: 'Channels with their features and credentials.',
  Statistics: 'Counts and rates, current and past.',
  Tokens: 'Sign in and create tokens.',
  Keys: 'Secrets that sign tokens.',
  Users: 'Accounts of a team.',
  Teams: 'The team and its members.',
  Invitations: 'Links that invite a user to the team.',
  Audit: 'Log of changes.',
  Console: 'Console pages and sessions.',
  Documentation: 'These pages and the OpenAPI document.',
  Operation: 'Liveness, readiness and metrics.',
} as const;

export type Tag = keyof typeof TAGS;
