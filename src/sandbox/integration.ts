import type { Id } from '../model/id.ts';
import type { Credentials } from '../model/integration.ts';

/** An integration in the sandbox. */
export interface SandboxIntegration {
  id: Id;
  applicationId: Id;
  /** The name of the channel. */
  name: string;
  credentials: Credentials;
}
