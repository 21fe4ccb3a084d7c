import { CircleCheck, Download, TriangleAlert } from 'lucide-react';

import { sentence } from '../api/problem.ts';
import type { Preview } from '../api/types.ts';
import { IntegrationName } from '../integrations/integration-name.tsx';
import { OptionList } from '../options/option-list.tsx';
import { Badge } from '../ui/badge.tsx';
import { Json } from '../ui/code.tsx';
import { Time } from '../ui/time.tsx';

type Part = Preview['parts'][number];

interface PreviewDetailProps {
  application: number;
  preview: Preview;
}

/** The vendor requests that would be sent, and what would be lost. */
export function PreviewDetail({ application, preview }: PreviewDetailProps) {
  const { parts, degraded, may_be_formatted: formatted, missing, ready, options, error } = preview;
  const { window, template, send_at: sendAt } = preview;
  return (
    <div className="grid gap-4">
      {missing.length > 0 && (
        <ul data-testid="missing" aria-label="Problems" className="grid gap-1.5 text-sm text-bad">
          {missing.map(({ what, detail }) => (
            <li key={what + detail} className="flex items-start gap-2">
              <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
              {sentence(detail.replace(/^to\.id /, 'Recipient '))}
            </li>
          ))}
        </ul>
      )}
      {error && missing.length === 0 && (
        <p data-testid="refused" className="flex items-start gap-2 text-sm text-bad">
          <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
          {sentence(error.detail.replace(/^\/options\//, 'Option '))}
        </p>
      )}
      {degraded.length > 0 ? <Degradations degraded={degraded} /> : ready && <Unchanged />}
      {window && (
        <p data-testid="window" className="text-sm text-ink-soft">
          Window for free text: {window.state}
          {window.until !== null && (
            <>
              {' '}
              until <Time at={window.until} exact />
            </>
          )}
        </p>
      )}
      {sendAt !== null && (
        <p data-testid="leaves-at" className="text-sm text-ink-soft">
          Leaves at <Time at={sendAt} exact />
        </p>
      )}
      {preview.routes && <Routes application={application} routes={preview.routes} />}
      {template?.layout && <TemplateLayout layout={template.layout} />}
      {formatted.length > 0 && <MayBeFormatted formatted={formatted} />}
      {Object.keys(options).length > 0 && (
        <div className="grid gap-1.5 text-sm">
          <p className="text-ink-soft">Options, with the defaults of the integration:</p>
          <OptionList options={options} />
        </div>
      )}
      {!ready && parts.length > 0 && (
        <p className="text-sm text-ink-soft">Request after these problems are fixed:</p>
      )}
      {parts.map((part, i) => (
        // oxlint-disable-next-line react/no-array-index-key -- parts have no id, only a position
        <PartDetail key={i} part={part} number={i + 1} count={parts.length} />
      ))}
    </div>
  );
}

/** What happens with each route, of a message with several. */
function Routes({
  application,
  routes,
}: {
  application: number;
  routes: NonNullable<Preview['routes']>;
}) {
  return (
    <ol data-testid="preview-routes" aria-label="Routes" className="grid gap-1.5 text-sm">
      {routes.map(
        ({ via, integration_id: id, until, to, ready, error, late_delivery: isLate }, i) => (
          // oxlint-disable-next-line react/no-array-index-key -- routes have no id, only a position
          <li key={i} data-ready={ready} className="wrap-anywhere">
            <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
              <span className="text-ink-faint tabular">{i + 1}</span>
              <IntegrationName application={application} id={id} />
              {via.startsWith('pool:') && <Badge>{via}</Badge>}
              <span className="text-ink-soft">
                to {to}
                {until !== undefined && `, until it is ${until}`}
              </span>
            </span>
            {error && (
              <span className="block text-bad">
                {sentence(error.detail.replace(/^\/\S+ /, ''))}
              </span>
            )}
            {isLate === true && (
              <span className="block text-warn">
                May arrive after the next route: the vendor accepts no validity period.
              </span>
            )}
          </li>
        ),
      )}
    </ol>
  );
}

function Unchanged() {
  return (
    <p data-testid="unchanged" className="flex items-center gap-2 text-sm text-ok">
      <CircleCheck className="size-4 shrink-0" aria-hidden />
      Sent unchanged
    </p>
  );
}

type Layout = NonNullable<NonNullable<Preview['template']>['layout']>;

/** What the recipient of a vendor's template sees. */
function TemplateLayout({ layout: { header, body, footer, buttons } }: { layout: Layout }) {
  return (
    <figure data-testid="template-layout" className="grid gap-1.5 text-sm">
      <figcaption className="text-ink-soft">The recipient sees:</figcaption>
      <blockquote className="grid gap-1 rounded-md border border-line p-3 wrap-anywhere">
        {header !== undefined && <p className="font-semibold">{header}</p>}
        <p className="whitespace-pre-wrap">{body}</p>
        {footer !== undefined && <p className="text-ink-faint">{footer}</p>}
        {buttons.map(({ label, url }) => (
          <p key={label}>
            <Badge>{label}</Badge> {url}
          </p>
        ))}
      </blockquote>
    </figure>
  );
}

function Degradations({ degraded }: Pick<Preview, 'degraded'>) {
  return (
    <ul data-testid="degraded" aria-label="Degradations" className="grid gap-1.5 text-sm">
      {degraded.map(({ what, became, why }) => (
        <li key={what + why} className="flex flex-wrap items-baseline gap-x-2 gap-y-0.5">
          <Badge tone="warn">
            <TriangleAlert aria-hidden />
            {what}
          </Badge>
          <span>becomes {became}:</span>
          <span className="text-ink-faint">{why}</span>
        </li>
      ))}
    </ul>
  );
}

function MayBeFormatted({ formatted }: { formatted: Preview['may_be_formatted'] }) {
  return (
    <div className="grid gap-1.5 text-sm">
      <p className="text-ink-soft">Sent as written. The channel may format:</p>
      <ul data-testid="may-be-formatted" aria-label="May be formatted" className="grid gap-1.5">
        {formatted.map(({ text, as }) => (
          <li key={as + text} className="flex flex-wrap items-baseline gap-x-2 gap-y-0.5">
            <Badge>{as}</Badge>
            <code className="font-mono text-xs wrap-anywhere text-ink">{text}</code>
          </li>
        ))}
      </ul>
    </div>
  );
}

const ACTION_TEXTS: Record<Part['does'], string> = {
  send: 'Send request',
  edit: 'Edit request',
  remove: 'Delete request',
};

function PartDetail({ part, number, count }: { part: Part; number: number; count: number }) {
  const { does, id, call, content, file, segments } = part;
  return (
    <div className="grid gap-2">
      <p className="text-sm text-ink-soft">
        {count > 1 && <Badge className="mr-2">{`Part ${number} of ${count}`}</Badge>}
        {ACTION_TEXTS[does]}
        {call !== null && (
          <>
            {' '}
            with <code className="font-mono text-xs text-ink">{call}</code>
          </>
        )}
        {id !== null && (
          <>
            {' '}
            for message <code className="font-mono text-xs text-ink">{id}</code>
          </>
        )}
      </p>
      {content !== null && <Json value={content} />}
      {segments !== null && (
        <p className="text-sm text-ink-soft">
          SMS segments: {segments.count} in {segments.encoding}
          {segments.because.length > 0 && `, because of ${segments.because.join(' ')}`}
        </p>
      )}
      {file !== null && (
        <p className="flex items-start gap-2 text-sm wrap-anywhere text-ink-soft">
          <Download className="mt-0.5 size-4 shrink-0 text-ink-faint" aria-hidden />
          {file.url} is downloaded and sent as a file.
        </p>
      )}
    </div>
  );
}

const MISSING_TEXTS: Record<Preview['missing'][number]['what'], string> = {
  // Recipient ids differ between channels.
  recipient: 'needs a different recipient',
  credential: 'credentials missing',
  channel: 'not supported',
  public_url: 'SWITCHBOARD_PUBLIC_URL not set',
};

/** One-line summary, for the list of channels. */
export function PreviewLine({ application, preview }: { application: number; preview: Preview }) {
  const { channel, integration_id, degraded, parts, missing } = preview;
  // A set, because the same entry may have several reasons.
  const what = new Set([
    ...missing.map(({ what: each }) => MISSING_TEXTS[each]),
    ...degraded.map(({ what: each, became }) => `${each}: ${became}`),
    ...(parts.length > 1 ? [`${parts.length} requests`] : []),
  ]);
  return (
    <span className="flex min-w-0 items-start gap-2 text-sm">
      <span className="max-w-[60%] shrink-0">
        <IntegrationName application={application} id={integration_id} channel={channel} />
      </span>
      <span className="min-w-0 text-pretty text-ink-faint">
        {what.size === 0 ? 'unchanged' : [...what].join('; ')}
      </span>
    </span>
  );
}
