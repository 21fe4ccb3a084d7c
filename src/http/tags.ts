/** The groups of operations, with what each is about. */
export const TAGS = {
  Messages: 'Send messages, and follow each until it is read.',
  Applications: 'What a team sends messages with.',
  Integrations: 'The channels of an application, with their credentials and health.',
  Events: 'What people wrote, and how messages fared: one feed for each application.',
  Webhooks: 'Where the events of an application are posted.',
  Hooks: 'Where vendors deliver their webhooks.',
  'Web chat': 'The chat widget and its pages.',
  Channels: 'Every channel, what it can do, and which credentials it takes.',
  Statistics: 'Counts and rates, now and over time.',
  Tokens: 'Sign in, and make tokens.',
  Keys: 'Secrets that sign tokens.',
  Users: 'Accounts of a team.',
  Teams: 'The team and its members.',
  Invitations: 'Links that add a user to the team.',
  Audit: 'Who changed what.',
  Console: 'The pages of the console and its sessions.',
  Documentation: 'These pages, and this document.',
  Operation: 'Liveness, readiness and metrics.',
} as const;

export type Tag = keyof typeof TAGS;
