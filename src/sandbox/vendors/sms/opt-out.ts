import type { VendorReaction } from '../../simulator.ts';

/*
 * Twilio's default handling of opt-outs by SMS: it answers these words itself, and refuses messages after STOP.
 * https://help.twilio.com/articles/223134027-Twilio-support-for-opt-out-keywords-SMS-STOP-filtering-
 */
const STOP = new Set([
  'STOP',
  'STOPALL',
  'UNSUBSCRIBE',
  'CANCEL',
  'END',
  'QUIT',
  'REVOKE',
  'OPTOUT',
]);
const START = new Set(['START', 'YES', 'UNSTOP']);
const HELP = new Set(['HELP', 'INFO']);

/** Only a message that is such a word counts. */
export function optOutReaction({
  text,
  isBlocked,
}: {
  text: string;
  isBlocked: boolean;
}): VendorReaction | undefined {
  const word = text.trim().toUpperCase();
  if (STOP.has(word)) {
    const answer =
      'You have successfully been unsubscribed. You will not receive any more messages from this number. Reply START to resubscribe.';
    return { answer, isBlocked: true };
  }
  if (START.has(word) && isBlocked) {
    const answer =
      'You have successfully been re-subscribed to messages from this number. Reply HELP for help. Reply STOP to unsubscribe. Msg&Data Rates May Apply.';
    return { answer, isBlocked: false };
  }
  return HELP.has(word)
    ? { answer: 'Reply STOP to unsubscribe. Msg&Data Rates May Apply.' }
    : undefined;
}
