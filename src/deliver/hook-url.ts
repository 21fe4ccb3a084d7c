import { SANDBOX_URL } from '../model/sandbox/sandbox-url.ts';
import type { Store } from '../store/store.ts';
import type { Runner } from './runner.ts';

/**
 * The URL for the vendor's delivery reports. Undefined without a public URL, or while the store is unavailable: the
 * message then gets no reports.
 */
export async function hookUrlOf(
  runner: Runner,
  { store, publicUrl }: { store: Store; publicUrl?: string | undefined },
): Promise<string | undefined> {
  const { applicationId, integrationId, config } = runner;
  const baseUrl = config?.mode === 'sandbox' ? SANDBOX_URL : publicUrl;
  if (baseUrl === undefined || runner.hookUrl !== undefined) return runner.hookUrl;
  const hook = await store.integrations.hookOf(applicationId, integrationId).catch(() => undefined);
  runner.hookUrl = hook && `${baseUrl}/1/hooks/${integrationId}/${hook.random}`;
  return runner.hookUrl;
}
