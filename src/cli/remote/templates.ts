import type { TemplateRequest, VendorTemplates } from '../../../sdk/src/index.ts';
import { CliError, EXIT } from '../exit.ts';
import { print, printTable } from '../print.ts';
import { type RemoteOptions, connectApplication, readId } from './connection.ts';
import { colored, printJson, visible } from './format.ts';

/* Templates of the application, and those of vendors. */

export interface TemplatesOptions extends RemoteOptions {
  /** Lists the templates of this integration's vendor. */
  integration?: string;
  sync?: true;
}

export async function listTemplates(options: TemplatesOptions): Promise<void> {
  const client = await connectApplication(options);
  if (options.integration === undefined) {
    if (options.sync) throw new CliError('--sync needs --integration', EXIT.usage);
    const own = await client.templates.list().all();
    if (options.json) return printJson(own);
    return printTable(
      own.map(({ id, name, version, updated_at: updated, contents }) => {
        return { id, name, version, updated, languages: Object.keys(contents).join(', ') };
      }),
      false,
    );
  }
  const id = readId(options.integration, 'integration');
  if (options.sync) await client.integrations.syncTemplates(id);
  const listed = await client.integrations.templates(id);
  if (options.json) return printJson(listed);
  showVendorTemplates(listed);
}

function showVendorTemplates({ synced_at: syncedAt, data }: VendorTemplates): void {
  if (syncedAt === null) return print('Never synced. Sync with: --sync');
  printTable(
    data.map(({ name, language, status, category, parameters }) => ({
      name: visible(name),
      language,
      status: colored(status === 'approved' ? 'sent' : 'failed', status),
      category: category ?? '',
      parameters: parameters.map((one) => (one.required ? one.name : `[${one.name}]`)).join(', '),
    })),
    false,
  );
}

/** `--template name`, `--language tag` and `--parameter name=value`. */
export function templateFrom(
  name: string,
  language: string | undefined,
  parameters: readonly string[],
): TemplateRequest {
  const values = new Map<string, string>();
  for (const text of parameters) {
    const at = text.indexOf('=');
    if (at < 1) {
      throw new CliError(`--parameter ${text}: expected name=value`, EXIT.usage);
    }
    const parameter = text.slice(0, at).trim();
    if (values.has(parameter)) {
      throw new CliError(`--parameter ${parameter}: given more than once`, EXIT.usage);
    }
    values.set(parameter, text.slice(at + 1));
  }
  return {
    name,
    ...(language !== undefined && { language }),
    ...(values.size > 0 && { parameters: Object.fromEntries(values) }),
  };
}
