import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { type ReplyMeaning, type SmtpStep, readReply } from './smtp-reply.ts';

describe('SMTP replies', () => {
  const cases: readonly [SmtpStep, string, string, ReplyMeaning][] = [
    ['connect', '421 4.3.0 Temporary System Problem', '421 4.3.0', 'later'],
    ['connect', '421 Too many connections', '421', 'slower'],
    ['connect', '554 No SMTP service here', '554', 'connect'],
    ['connect', '502 5.5.1 STARTTLS not offered', '502 5.5.1', 'connect'],
    ['login', '535 5.7.8 Bad user name or password', '535 5.7.8', 'login'],
    ['login', '454 4.7.0 Temporary authentication failure', '454 4.7.0', 'later'],
    ['sender', '530 5.7.0 Authentication required', '530 5.7.0', 'login'],
    ['sender', '553 5.7.1 Sender address not owned by user', '553 5.7.1', 'sender'],
    ['recipient', '550 5.1.8 Sender domain not found', '550 5.1.8', 'sender'],
    ['recipient', '550 5.1.1 No such user', '550 5.1.1', 'recipient'],
    ['recipient', '550-5.1.1 No such\n550 5.1.1 user', '550 5.1.1', 'recipient'],
    ['recipient', '550 No such user', '550', 'recipient'],
    ['content', '550 5.1.1 No such user after all', '550 5.1.1', 'recipient'],
    ['recipient', '552 5.2.2 Mailbox full', '552 5.2.2', 'recipient'],
    ['recipient', '552 5.3.4 Message too big', '552 5.3.4', 'content'],
    ['content', '552 Too large', '552', 'content'],
    ['recipient', '550 5.2.3 Message longer than this mailbox takes', '550 5.2.3', 'content'],
    ['recipient', '554 5.7.1 Relay access denied', '554 5.7.1', 'recipient'],
    ['content', '550 5.7.1 Looks like spam', '550 5.7.1', 'content'],
    ['content', '554 5.6.0 Malformed', '554 5.6.0', 'content'],
    ['recipient', '451 4.7.1 Greylisting in action, come back later', '451 4.7.1', 'later'],
    ['recipient', '450 4.2.0 <a@b>: Recipient address rejected: Greylisted', '450 4.2.0', 'later'],
    ['recipient', '451 4.7.1 Try again later', '451 4.7.1', 'later'],
    ['recipient', '450 4.7.25 Client host rejected: no reverse name', '450 4.7.25', 'later'],
    ['recipient', '421 4.7.0 Try again later, closing connection', '421 4.7.0', 'later'],
    ['recipient', '450 4.7.1 Your rate is too high', '450 4.7.1', 'slower-to-recipient'],
    ['recipient', '452 4.5.3 Too many recipients', '452 4.5.3', 'slower-to-recipient'],
    ['recipient', '450 4.2.1 Peak SMTP relay limit exceeded', '450 4.2.1', 'slower'],
    ['recipient', '452 4.2.2 Over quota', '452 4.2.2', 'later'],
    ['recipient', '450 4.2.1 receiving mail too quickly', '450 4.2.1', 'slower-to-recipient'],
    ['content', '450 4.2.1 Peak SMTP relay limit exceeded', '450 4.2.1', 'slower'],
    ['content', '421 4.7.0 unusual rate of mail from you', '421 4.7.0', 'slower'],
    ['content', '451 4.7.500 Server busy', '451 4.7.500', 'slower'],
    ['content', '451 4.7.1 Try again later', '451 4.7.1', 'later'],
    ['content', '421 4.7.28 Unusual mail', '421 4.7.28', 'slower'],
    ['connect', '421 4.7.1 Go away for a while', '421 4.7.1', 'slower'],
    ['sender', '450 4.7.1 Go away for a while', '450 4.7.1', 'slower'],
    ['content', '550 5.4.5 Daily user sending limit exceeded', '550 5.4.5', 'slower'],
    ['content', '451 Local error', '451', 'later'],
    ['content', '503 Bad sequence of commands', '503', 'later'],
    ['content', '354', '354', 'later'],
  ];
  for (const [step, reply, code, meaning] of cases) {
    it(`at the ${step} step, ${reply.replaceAll('\n', ' ')} means ${meaning}`, () => {
      assert.deepEqual(readReply(reply, step), { code, meaning });
    });
  }
});
