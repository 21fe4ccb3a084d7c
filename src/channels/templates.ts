import type { FilledTemplate, TemplateDefinition } from '../model/templates/vendor-template.ts';
import type { Context } from './context.ts';
import type { Failure } from './outcome.ts';
import type { Destination, VendorRequest } from './request.ts';

/** The templates that are read from a vendor's list; the rest is ignored. */
export const MAX_TEMPLATES = 2_000;
/** The maximum size of one page of the list. */
export const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/** Templates that people write, and get approved, at the vendor. */
export interface TemplateSupport {
  /** Reads the vendor's list. */
  list(context: Context): Promise<readonly TemplateDefinition[] | Failure>;
  /** The request that sends a template. */
  render(template: FilledTemplate, to: Destination): VendorRequest;
}
