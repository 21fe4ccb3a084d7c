import type { Id } from '../../model/id.ts';
import type { Millis } from '../../model/timestamp.ts';

/** A template of an application, with the number of its newest version. */
export interface TemplateRow {
  applicationId: Id;
  id: Id;
  name: string;
  version: number;
  createdAt: Millis;
}

export interface TemplateVersion {
  applicationId: Id;
  templateId: Id;
  version: number;
  /** JSON: the default language and the contents by language. */
  content: string;
  createdAt: Millis;
}

export interface VendorTemplateRow {
  applicationId: Id;
  integrationId: Id;
  name: string;
  language: string;
  vendorId: string;
  /** JSON. */
  definition: string;
}
