import { textMember } from '../../lib/json/json-member.ts';
import { failureClassifier } from '../http-failure.ts';

const LIMITED = new Set(['ratelimited', 'rate_limited', 'message_limit_exceeded']);

/** Slack documents that the request may have been partly processed with these errors. */
const MAYBE_SENT = new Set(['internal_error', 'fatal_error']);
const UNREADABLE = 'unreadable_error';
const UNSENT = new Set(['service_unavailable', 'request_timeout', 'team_added_to_org', UNREADABLE]);

/** The beginning of a refusal, for a response that was truncated. */
const REFUSAL = /^\s*\{\s*"ok"\s*:\s*false\b/;

/**
 * Classifies a failed response. Slack's refusals have status 200.
 * https://docs.slack.dev/reference/methods/chat.postMessage#errors
 */
export const classifyFailure = failureClassifier({
  vendor: 'Slack',
  errorsIn2xx: true,
  read(answer) {
    const code = textMember(answer.json(), 'error');
    return { code: code ?? (REFUSAL.test(answer.text) ? UNREADABLE : undefined) };
  },
  // The limit of the conversation or of the workspace; Slack does not say which.
  rateLimit: ({ status, code }) =>
    status === 429 || LIMITED.has(code) ? 'integration' : undefined,
  exception({ code }) {
    if (UNSENT.has(code)) return 'unsent';
    return MAYBE_SENT.has(code) ? 'maybe sent' : undefined;
  },
  codes: {
    credentials:
      /^(not_authed|invalid_auth|account_inactive|token_\w+|missing_scope|no_permission|org_login_required|not_allowed_token_type|ekm_access_denied|access_denied|accesslimited|team_access_not_granted|enterprise_is_restricted|two_factor_setup_required|app_\w+)$/,
    recipient:
      /^(channel_\w+|invalid_channel|not_in_channel|is_archived|is_inactive|user_\w+|users_\w+|cannot_dm_bot|messages_tab_disabled|restricted_action\w*|method_not_supported_for_channel_type|slack_connect_\w+|external_channel_\w+)$/,
    unsupported:
      /^(cant_update_message|edit_window_closed|cant_delete_message|cant_delete_file|message_not_found|compliance_exports_prevent_deletion|unknown_method|method_deprecated|file_uploads_\w+)$/,
  },
});
