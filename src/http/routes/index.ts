import type { Metrics } from '../metrics.ts';
import type { ConsoleFiles } from '../pages/console-files.ts';
import type { Route } from '../route.ts';
import type { Services } from '../services.ts';
import { applicationRoutes } from './applications.ts';
import { auditRoutes } from './audit.ts';
import { channelRoutes } from './channels.ts';
import { chatRoutes } from './chat.ts';
import { consoleRoutes } from './console.ts';
import { documentationRoutes } from './documentation.ts';
import { eventRoutes } from './events.ts';
import { healthRoutes } from './health.ts';
import { hookRoutes } from './hooks.ts';
import { ignoredRoutes } from './ignored.ts';
import { integrationRoutes } from './integrations.ts';
import { invitationRoutes } from './invitations.ts';
import { jobRoutes } from './jobs.ts';
import { keyRoutes } from './keys.ts';
import { mediaRoutes } from './media.ts';
import { messageRoutes } from './messages.ts';
import { overviewRoutes } from './overview.ts';
import { passwordRoutes } from './password.ts';
import { registrationRoutes } from './registration.ts';
import { sessionRoutes } from './sessions.ts';
import { statisticsRoutes } from './statistics.ts';
import { teamRoutes } from './teams.ts';
import { tokenRoutes } from './tokens.ts';
import { userRoutes } from './users.ts';
import { webhookRoutes } from './webhooks.ts';

export interface RouteOptions {
  services: Services;
  metrics: Metrics;
  console: ConsoleFiles;
  document(): Record<string, unknown>;
}

/** All public routes, in the order of the documentation. */
export function publicRoutes({ services, metrics, console, document }: RouteOptions): Route[] {
  return [
    ...messageRoutes(services, metrics),
    ...jobRoutes(services),
    ...applicationRoutes(services),
    ...integrationRoutes(services),
    ...healthRoutes(services),
    ...registrationRoutes(services),
    ...ignoredRoutes(services),
    ...eventRoutes(services),
    ...mediaRoutes(services),
    ...webhookRoutes(services),
    ...hookRoutes(services),
    ...chatRoutes(services),
    ...channelRoutes(services),
    ...overviewRoutes(services),
    ...statisticsRoutes(services),
    ...tokenRoutes(services),
    ...keyRoutes(services),
    ...userRoutes(services),
    ...teamRoutes(services),
    ...invitationRoutes(services),
    ...auditRoutes(services),
    ...sessionRoutes(services),
    ...passwordRoutes(services),
    ...consoleRoutes(console),
    ...documentationRoutes(document),
  ];
}
