import type { ConsoleFiles } from '../pages/console-files.ts';
import type { DocsFiles } from '../pages/docs-files.ts';
import type { Route } from '../server/route.ts';
import type { Services } from '../services.ts';
import { applicationRoutes } from './accounts/applications.ts';
import { auditRoutes } from './accounts/audit.ts';
import { invitationRoutes } from './accounts/invitations.ts';
import { keyRoutes } from './accounts/keys.ts';
import { passwordRoutes } from './accounts/password.ts';
import { policyRoutes } from './accounts/policies.ts';
import { registrationRoutes } from './accounts/registration.ts';
import { sessionRoutes } from './accounts/sessions.ts';
import { teamRoutes } from './accounts/teams.ts';
import { tokenRoutes } from './accounts/tokens.ts';
import { userRoutes } from './accounts/users.ts';
import { channelRoutes } from './channels.ts';
import { chatRoutes } from './chat.ts';
import { consentTransferRoutes } from './consent-transfers.ts';
import { consentRoutes } from './consents.ts';
import { consoleRoutes } from './console.ts';
import { documentationRoutes } from './documentation.ts';
import { eventRoutes } from './events.ts';
import { healthRoutes } from './health.ts';
import { hookRoutes } from './hooks.ts';
import { ignoredRoutes } from './ignored.ts';
import { integrationRoutes } from './integrations.ts';
import { jobRoutes } from './jobs.ts';
import { mediaRoutes } from './media.ts';
import { messageImageRoutes } from './message-images.ts';
import { messageRoutes } from './messages.ts';
import { poolRoutes } from './messaging/pools.ts';
import { overviewRoutes } from './overview.ts';
import { addressRoutes } from './people/addresses.ts';
import { contactRoutes } from './people/contacts.ts';
import { conversationFileRoutes } from './people/conversation-files.ts';
import { conversationRoutes } from './people/conversations.ts';
import { contactImportRoutes } from './people/imports.ts';
import { mergeRoutes } from './people/merges.ts';
import { privacyRoutes } from './people/privacy.ts';
import { sandboxRoutes } from './sandbox.ts';
import { scheduledMessageRoutes } from './scheduled-messages.ts';
import { statisticsRoutes } from './statistics.ts';
import { templateRoutes } from './templates.ts';
import { unsubscribeRoutes } from './unsubscribe.ts';
import { vendorTemplateRoutes } from './vendor-templates.ts';
import { webhookRoutes } from './webhooks.ts';

interface RouteOptions {
  services: Services;
  console: ConsoleFiles;
  docs: DocsFiles;
  document(): Record<string, unknown>;
}

/** All public routes, in the order of the documentation. */
export function publicRoutes({ services, console, docs, document }: RouteOptions): Route[] {
  return [
    ...messageRoutes(services),
    ...scheduledMessageRoutes(services),
    ...jobRoutes(services),
    ...applicationRoutes(services),
    ...policyRoutes(services),
    ...integrationRoutes(services),
    ...healthRoutes(services),
    ...registrationRoutes(services),
    ...ignoredRoutes(services),
    ...consentTransferRoutes(services),
    ...consentRoutes(services),
    ...unsubscribeRoutes(services),
    ...poolRoutes(services),
    ...contactImportRoutes(services),
    ...contactRoutes(services),
    ...mergeRoutes(services),
    ...addressRoutes(services),
    ...privacyRoutes(services),
    ...conversationRoutes(services),
    ...conversationFileRoutes(services),
    ...templateRoutes(services),
    ...vendorTemplateRoutes(services),
    ...sandboxRoutes(services),
    ...eventRoutes(services),
    ...mediaRoutes(services),
    ...messageImageRoutes(services),
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
    ...documentationRoutes(docs, document),
  ];
}
