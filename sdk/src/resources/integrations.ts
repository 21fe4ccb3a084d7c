import type {
  Check,
  Health,
  Hook,
  IgnoredReport,
  Integration,
  IntegrationChange,
  IntegrationDetail,
  NewIntegration,
  TemplateSync,
  VendorTemplates,
} from '../api.ts';
import { List, type PageOptions } from '../list.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** The fields of a new integration. By default it belongs to the token's application and is enabled. */
export type IntegrationFields = Omit<NewIntegration, 'application_id' | 'state'> &
  Partial<Pick<NewIntegration, 'application_id' | 'state'>>;

export interface Masking {
  /** Whether to hide all but the last characters of each secret. */
  mask?: boolean;
}

/** Integrations of the application, each with the credentials of one channel. Needs an application token. */
export class Integrations {
  readonly #transport: Transport;
  #ownApplication: Promise<number> | undefined;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The integrations of the application, newest first. */
  list(filter: PageOptions & Masking = {}, options?: CallOptions): List<Integration> {
    const { mask, ...rest } = filter;
    const query = { ...rest, ...masked(mask) };
    return new List(async (cursor) => {
      const input = { path: { id: await this.#applicationId(options) }, query };
      const name = 'GET /1/applications/{id}/integrations';
      return this.#transport.page(name, input, options, cursor);
    });
  }

  /** The integration with its health, which comes from recorded attempts and checks. */
  get(id: number, { mask, ...options }: CallOptions & Masking = {}): Promise<IntegrationDetail> {
    const input = { path: { id }, query: masked(mask) };
    return this.#transport.call('GET /1/integrations/{id}', input, options);
  }

  /** Creates an integration: `create({ name: 'telegram', token: '…' })`. `channels.get` lists the credentials needed. */
  async create(fields: IntegrationFields, options?: CallOptions): Promise<Integration> {
    const application_id = fields.application_id ?? (await this.#applicationId(options));
    const body: NewIntegration = { state: 'enable', ...fields, application_id };
    return this.#transport.call('POST /1/integrations', { body }, options);
  }

  /** Changes the given fields; null removes a credential, omitted fields stay. */
  update(id: number, fields: IntegrationChange, options?: CallOptions): Promise<void> {
    const input = { path: { id }, body: fields };
    return this.#transport.act('PUT /1/integrations/{id}', input, options);
  }

  /** Deletes the integration permanently and cancels its queued messages. */
  delete(id: number, options?: CallOptions): Promise<void> {
    return this.#transport.act('DELETE /1/integrations/{id}', { path: { id } }, options);
  }

  /** Refuses new messages until the integration is enabled again; queued messages wait. */
  disable(id: number, options?: CallOptions): Promise<void> {
    return this.#transport.act('DELETE /1/integrations/{id}/disable', { path: { id } }, options);
  }

  /** Checks the credentials with the channel's vendor. Sends no message. */
  check(id: number, options?: CallOptions): Promise<Check> {
    return this.#transport.call('POST /1/integrations/{id}/check', { path: { id } }, options);
  }

  /** The health of the integration, from recorded attempts and checks. */
  health(id: number, options?: CallOptions): Promise<Health> {
    return this.#transport.call('GET /1/integrations/{id}/health', { path: { id } }, options);
  }

  /** The URL for the vendor's webhooks. */
  hook(id: number, options?: CallOptions): Promise<Hook> {
    return this.#transport.call('GET /1/integrations/{id}/hook', { path: { id } }, options);
  }

  /** Registers the webhook URL with the vendor, if the vendor's API allows it. */
  register(id: number, options?: CallOptions): Promise<Hook> {
    return this.#transport.call('POST /1/integrations/{id}/register', { path: { id } }, options);
  }

  /** Reports that produced no event, by type and reason, the most recent kind first. */
  ignored(id: number, filter: PageOptions = {}, options?: CallOptions): List<IgnoredReport> {
    return new List(async (cursor) => {
      const input = { path: { id }, query: filter };
      return this.#transport.page('GET /1/integrations/{id}/ignored', input, options, cursor);
    });
  }

  /** Shows a typing indicator to a web chat visitor. */
  typing(id: number, to: string, options?: CallOptions): Promise<void> {
    const input = { path: { id }, body: { to: { id: to } } };
    return this.#transport.act('POST /1/integrations/{id}/typing', input, options);
  }

  /** Only the service can tell which application a token belongs to; its answer is cached. */
  #applicationId(options?: CallOptions): Promise<number> {
    const id =
      this.#ownApplication ??
      this.#transport.call('GET /1/applications/me', {}, options).then((own) => own.id);
    this.#ownApplication = id;
    id.catch(() => (this.#ownApplication = undefined));
    return id;
  }

  /** The templates of the vendor, as of the last sync. */
  templates(id: number, options?: CallOptions): Promise<VendorTemplates> {
    return this.#transport.call('GET /1/integrations/{id}/templates', { path: { id } }, options);
  }

  /** Reads the templates from the vendor. */
  syncTemplates(id: number, options?: CallOptions): Promise<TemplateSync> {
    const input = { path: { id } };
    return this.#transport.call('POST /1/integrations/{id}/templates/sync', input, options);
  }
}

const masked = (mask: boolean | undefined) => (mask ? { mask: 'true' as const } : {});
