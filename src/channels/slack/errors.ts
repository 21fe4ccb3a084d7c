import type { FetchAnswer } from '../../lib/http/fetch.ts';
import { retryAfter } from '../../lib/http/retry-after.ts';
import { textMember } from '../../lib/json/json-member.ts';
import { foreignAnswer } from '../answers.ts';

/* Classifies Slack's errors. https://docs.slack.dev/reference/methods/chat.postMessage#errors */

type Blamed = 'credentials' | 'recipient' | 'unsupported';

export type SlackFailure = { detail: string; code: string } & (
  | { outcome: 'limited'; whom: 'integration'; seconds?: number }
  | { outcome: 'transient'; maybeSent: boolean }
  | { outcome: 'permanent'; blame: Blamed | 'content' }
);

const LIMITED = new Set(['ratelimited', 'rate_limited', 'message_limit_exceeded']);

/** Slack documents that the request may have been partly processed with these errors. */
const PERHAPS_DONE = ['internal_error', 'fatal_error'];
const NOT_DONE = ['service_unavailable', 'request_timeout', 'team_added_to_org'];

const BLAMED: Readonly<Record<Blamed, RegExp>> = {
  credentials:
    /^(not_authed|invalid_auth|account_inactive|token_\w+|missing_scope|no_permission|org_login_required|not_allowed_token_type|ekm_access_denied|access_denied|accesslimited|team_access_not_granted|enterprise_is_restricted|two_factor_setup_required|app_\w+)$/,
  recipient:
    /^(channel_\w+|invalid_channel|not_in_channel|is_archived|is_inactive|user_\w+|users_\w+|cannot_dm_bot|messages_tab_disabled|restricted_action\w*|method_not_supported_for_channel_type|slack_connect_\w+|external_channel_\w+)$/,
  unsupported:
    /^(cant_update_message|edit_window_closed|cant_delete_message|cant_delete_file|message_not_found|compliance_exports_prevent_deletion|unknown_method|method_deprecated|file_uploads_\w+)$/,
};

/** The beginning of a refusal, for a response that was truncated. */
const REFUSAL = /^\s*\{\s*"ok"\s*:\s*false\b/;

/** Classifies a failed response. Slack's refusals have status 200. */
export function sortSlack(answer: FetchAnswer, now: number): SlackFailure {
  const foreign = foreignAnswer(answer);
  if (foreign) return foreign;
  const { status } = answer;
  const error = textMember(answer.json(), 'error');
  const isRefusal = error === undefined && REFUSAL.test(answer.text);
  const code = error ?? (isRefusal ? 'unreadable_error' : String(status));
  const detail = `Slack answered ${code}`;
  if (status === 429 || LIMITED.has(code)) {
    // The limit of the conversation or of the workspace; Slack does not say which.
    const seconds = retryAfter(answer.header('retry-after'), now);
    const wait = seconds === undefined ? {} : { seconds };
    return { outcome: 'limited', whom: 'integration', ...wait, detail, code };
  }
  if (status >= 500 || error === undefined || [...PERHAPS_DONE, ...NOT_DONE].includes(error)) {
    // 503 precedes any processing. After another 5xx, or a 2xx that cannot be parsed, the message may have been sent;
    // a 3xx or 4xx without Slack's error means that it was not.
    const surely =
      status === 503 || isRefusal || (status >= 300 && status < 500) || NOT_DONE.includes(code);
    return { outcome: 'transient', maybeSent: !surely, detail, code };
  }
  const blame = (['credentials', 'recipient', 'unsupported'] as const).find((each) =>
    BLAMED[each].test(error),
  );
  return { outcome: 'permanent', blame: blame ?? 'content', detail, code };
}
