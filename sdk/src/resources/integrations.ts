import type {
  Check,
  Health,
  Hook,
  IgnoredReport,
  Integration,
  IntegrationChange,
  IntegrationDetail,
  NewIntegration,
} from '../api.ts';
import { List, type PageOptions } from '../list.ts';
import type { CallOptions, Transport } from '../transport.ts';

/** What an integration is made of. The application is the client's own, and it is enabled, unless told otherwise. */
export type IntegrationFields = Omit<NewIntegration, 'application_id' | 'state'> &
  Partial<Pick<NewIntegration, 'application_id' | 'state'>>;

/** How credentials are shown. */
export interface Masking {
  /** Whether all but the last characters of each secret are hidden. */
  mask?: boolean;
}

/** Integrations of the application: the credentials of one channel each. Takes a token of an application. */
export class Integrations {
  readonly #transport: Transport;
  #own: Promise<number> | undefined;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The integrations of the application, the newest first. */
  list(filter: PageOptions & Masking = {}, options?: CallOptions): List<Integration> {
    const { mask, ...rest } = filter;
    const query = { ...rest, ...masked(mask) };
    return new List(async (cursor) => {
      const given = { path: { id: await this.#applicationId(options) }, query };
      const name = 'GET /1/applications/{id}/integrations';
      return this.#transport.page(name, given, options, cursor);
    });
  }

  /** With its health, from recorded attempts and checks. */
  get(id: number, { mask, ...options }: CallOptions & Masking = {}): Promise<IntegrationDetail> {
    const given = { path: { id }, query: masked(mask) };
    return this.#transport.call('GET /1/integrations/{id}', given, options);
  }

  /** Makes one: `create({ name: 'telegram', token: '…' })`. `channels.get` says what each channel needs. */
  async create(fields: IntegrationFields, options?: CallOptions): Promise<Integration> {
    const application_id = fields.application_id ?? (await this.#applicationId(options));
    const body: NewIntegration = { state: 'enable', ...fields, application_id };
    return this.#transport.call('POST /1/integrations', { body }, options);
  }

  /** Changes what is given; null clears a credential, what is left out stays. */
  update(id: number, fields: IntegrationChange, options?: CallOptions): Promise<void> {
    const given = { path: { id }, body: fields };
    return this.#transport.act('PUT /1/integrations/{id}', given, options);
  }

  /** Deletes it for good. What is queued for it is canceled. */
  delete(id: number, options?: CallOptions): Promise<void> {
    return this.#transport.act('DELETE /1/integrations/{id}', { path: { id } }, options);
  }

  /** Has it refuse messages until it is enabled again; what is queued waits. */
  disable(id: number, options?: CallOptions): Promise<void> {
    return this.#transport.act('DELETE /1/integrations/{id}/disable', { path: { id } }, options);
  }

  /** Asks the channel whether it takes the credentials. Nothing is sent to anybody. */
  check(id: number, options?: CallOptions): Promise<Check> {
    return this.#transport.call('POST /1/integrations/{id}/check', { path: { id } }, options);
  }

  /** How it does, from what is on record. */
  health(id: number, options?: CallOptions): Promise<Health> {
    return this.#transport.call('GET /1/integrations/{id}/health', { path: { id } }, options);
  }

  /** Where the vendor of the channel is to call. */
  hook(id: number, options?: CallOptions): Promise<Hook> {
    return this.#transport.call('GET /1/integrations/{id}/hook', { path: { id } }, options);
  }

  /** Tells the vendor of the channel where to call, where it has a call for that. */
  register(id: number, options?: CallOptions): Promise<Hook> {
    return this.#transport.call('POST /1/integrations/{id}/register', { path: { id } }, options);
  }

  /** What it heard and made no event of, by type and reason; the kind that came up last is first. */
  ignored(id: number, filter: PageOptions = {}, options?: CallOptions): List<IgnoredReport> {
    return new List(async (cursor) => {
      const given = { path: { id }, query: filter };
      return this.#transport.page('GET /1/integrations/{id}/ignored', given, options, cursor);
    });
  }

  /** Shows a visitor of the web chat that you are writing. */
  typing(id: number, to: string, options?: CallOptions): Promise<void> {
    const given = { path: { id }, body: { to: { id: to } } };
    return this.#transport.act('POST /1/integrations/{id}/typing', given, options);
  }

  /** A token says whom it speaks for to the service alone: it is asked once. */
  #applicationId(options?: CallOptions): Promise<number> {
    const asked =
      this.#own ?? this.#transport.call('GET /1/applications/me', {}, options).then(({ id }) => id);
    this.#own = asked;
    asked.catch(() => (this.#own = undefined));
    return asked;
  }
}

const masked = (mask: boolean | undefined) => (mask ? { mask: 'true' as const } : {});
