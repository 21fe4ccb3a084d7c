/* The commands that make a call, by operation. Operations without a command have no example. */

export const COMMANDS: Readonly<Record<string, string>> = {
  sendMessage: `switchboard send --to 123456789 --via telegram --markdown --text 'Your order is **on its way**.'`,
  listMessages: 'switchboard messages --state failed',
  getMessage: 'switchboard messages 5615',
  listMessageAttempts: 'switchboard messages 5615',
  resendMessage: 'switchboard resend 5615',
  retryMessage: 'switchboard retry 5615',
  resendMessages: 'switchboard resend --state failed --channel telegram',
  listApplications: 'switchboard applications',
  createIntegration: 'switchboard integrations add telegram --sandbox',
  listIntegrations: 'switchboard integrations list',
  checkIntegration: 'switchboard integrations check 5',
  listIgnoredReports: 'switchboard integrations ignored 5',
  listPools: 'switchboard pools',
  listTemplates: 'switchboard templates',
  listConsents: 'switchboard consents list',
  setConsent: 'switchboard consents set revoked sms +15558675310 --scope marketing',
  exportConsents: 'switchboard consents export --format ndjson',
  createApplicationKey: 'switchboard keys create --label "Order service"',
  listApplicationKeys: 'switchboard keys list',
  listEvents: 'switchboard events',
  openRealtime: 'switchboard tail',
  listChannels: 'switchboard channels',
  signIn: 'switchboard login --url http://localhost:8080 --email ada@example.com',
  // The last one: with two applications, the other commands need --application.
  createApplication: 'switchboard applications create order-updates',
};
