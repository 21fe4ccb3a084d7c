import { useQuery } from '@tanstack/react-query';
import { CircleCheck, CircleX } from 'lucide-react';
import type { ReactNode } from 'react';

import type { WebhookTest } from '../api/types.ts';
import { masked } from '../ui/form/secret.tsx';
import { keyOf, signatureOf } from './signing.ts';

interface SignatureStepsProps {
  test: WebhookTest;
  /** Active secrets, newest first. */
  secrets: readonly string[];
}

/** Recomputes the signature of the test request step by step. */
export function SignatureSteps({ test, secrets }: SignatureStepsProps) {
  const { headers, body, signed } = test;
  const [secret = ''] = secrets;
  const sent = (headers['webhook-signature'] ?? '').split(' ');
  const { data: computed } = useQuery({
    queryKey: ['signature', signed, secret],
    queryFn: () => signatureOf(signed, secret),
    staleTime: 'static',
  });
  return (
    <section aria-label="Signature">
      <h3 className="mb-3 text-sm font-medium">Signature, step by step</h3>
      <ol className="grid gap-4">
        <Step number={1} title="Join id, timestamp and body with dots">
          <Bytes>
            <Part tone="text-accent-text">{headers['webhook-id']}</Part>.
            <Part tone="text-busy">{headers['webhook-timestamp']}</Part>.
            <Part tone="text-ok">{body}</Part>
          </Bytes>
        </Step>
        <Step number={2} title="Decode the signing secret">
          <Bytes>{masked(secret)}</Bytes>
          <p className="text-sm text-ink-faint">
            The part after <code className="font-mono text-xs">whsec_</code> is base64 for{' '}
            {keyOf(secret).length} bytes.
          </p>
        </Step>
        <Step number={3} title="Compute HMAC-SHA256 and encode it as base64">
          <Bytes>{computed ?? ' '}</Bytes>
        </Step>
        <Step number={4} title="Compare with webhook-signature">
          <Bytes>{sent.join('\n')}</Bytes>
          {computed !== undefined && (
            <Verdict isMatch={sent.includes(computed)} count={sent.length} />
          )}
        </Step>
      </ol>
    </section>
  );
}

function Verdict({ isMatch, count }: { isMatch: boolean; count: number }) {
  return isMatch ? (
    <p data-testid="signature-match" className="flex items-center gap-1.5 text-sm text-ok">
      <CircleCheck className="size-4 shrink-0" aria-hidden />
      {count > 1
        ? 'One signature matches: the event is authentic.'
        : 'The signatures match: the event is authentic.'}
    </p>
  ) : (
    <p data-testid="signature-mismatch" className="flex items-center gap-1.5 text-sm text-bad">
      <CircleX className="size-4 shrink-0" aria-hidden />
      The secret was rotated after this test. Send another test event.
    </p>
  );
}

function Step(props: { number: number; title: string; children: ReactNode }) {
  return (
    <li className="grid grid-cols-[1.25rem_minmax(0,1fr)] gap-x-2.5 gap-y-1.5">
      <span
        aria-hidden
        className="flex size-5 items-center justify-center rounded-full bg-hover text-xs font-medium text-ink-soft tabular"
      >
        {props.number}
      </span>
      <span className="text-sm font-medium">{props.title}</span>
      <div className="col-start-2 grid gap-1.5">{props.children}</div>
    </li>
  );
}

function Bytes({ children }: { children: ReactNode }) {
  return (
    <pre className="rounded-md border border-line bg-sunken px-3 py-2 font-mono text-xs leading-5 whitespace-pre-wrap wrap-anywhere">
      {children}
    </pre>
  );
}

function Part({ tone, children }: { tone: string; children: ReactNode }) {
  return <span className={tone}>{children}</span>;
}
