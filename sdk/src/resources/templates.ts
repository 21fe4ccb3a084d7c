import type {
  NewTemplate,
  Template,
  TemplateDetail,
  TemplatePreview,
  TemplatePreviewRequest,
  TemplateVersion,
} from '../api.ts';
import { type List, type PageOptions, listOf } from '../list.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** Templates of the application, which every channel can send. Needs an application token. */
export class Templates {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Newest first, in their newest version. */
  list(query: PageOptions = {}, options?: CallOptions): List<Template> {
    return listOf(this.#transport, 'GET /1/templates', { query }, options);
  }

  create(template: NewTemplate, options?: CallOptions): Promise<Template> {
    return this.#transport.call('POST /1/templates', { body: template }, options);
  }

  /** The newest version, or the given one. */
  get(id: number, version?: number, options?: CallOptions): Promise<TemplateDetail> {
    const query = version === undefined ? {} : { version };
    return this.#transport.call('GET /1/templates/{id}', { path: { id }, query }, options);
  }

  /** Adds a version. New messages use it. */
  update(id: number, version: TemplateVersion, options?: CallOptions): Promise<void> {
    const input = { path: { id }, body: version };
    return this.#transport.act('PUT /1/templates/{id}', input, options);
  }

  delete(id: number, options?: CallOptions): Promise<void> {
    return this.#transport.act('DELETE /1/templates/{id}', { path: { id } }, options);
  }

  /** Renders it for each channel. Sends nothing. */
  preview(
    id: number,
    request: TemplatePreviewRequest,
    options?: CallOptions,
  ): Promise<TemplatePreview> {
    const input = { path: { id }, body: request };
    return this.#transport.call('POST /1/templates/{id}/preview', input, options);
  }
}
