import { sentence } from '../api/problem.ts';
import type { Channel } from '../api/types.ts';
import { Badge } from '../ui/badge.tsx';
import { Section } from '../ui/card.tsx';
import { Copyable } from '../ui/form/copy.tsx';
import { OuterLink } from '../ui/page.tsx';
import { Prose } from '../ui/prose.tsx';
import { abilitiesOf } from './abilities.ts';

/** Key facts of a channel: recipients, content, limits. */
export function ChannelFacts({ channel }: { channel: Channel }) {
  const { title, recipient, limits, docs, can } = channel;
  const isExternal = /^https?:/.test(docs);
  return (
    <Section title={`About ${title}`}>
      <div className="grid gap-4 text-sm">
        <div className="grid gap-1">
          <h3 className="font-medium">Recipient</h3>
          <p className="text-pretty wrap-anywhere text-ink-soft">
            <Prose text={sentence(recipient.form)} />
          </p>
          <p className="text-ink-faint">
            Example: <Copyable text={recipient.example} className="text-ink-soft" />
          </p>
        </div>
        <div className="grid gap-1.5">
          <h3 className="font-medium">Content</h3>
          <p className="flex flex-wrap gap-1">
            <Badge>
              {can.text === null
                ? 'Text of any length'
                : `Text up to ${can.text.toLocaleString()} characters`}
            </Badge>
            {abilitiesOf(channel).map((ability) => (
              <Badge key={ability}>{ability}</Badge>
            ))}
          </p>
          <p className="text-pretty text-ink-faint">
            Unsupported content becomes a link or plain text. Longer texts are split.
          </p>
        </div>
        {limits.length > 0 && (
          <div className="grid gap-1">
            <h3 className="font-medium">Limits (applied automatically)</h3>
            <ul className="grid gap-1 text-ink-soft">
              {limits.map(({ what, link }) => (
                <li key={what} className="text-pretty">
                  {sentence(what)}{' '}
                  <OuterLink href={link} className="text-xs">
                    Source
                  </OuterLink>
                </li>
              ))}
            </ul>
          </div>
        )}
        <p>
          {isExternal ? (
            <OuterLink href={docs}>Vendor documentation</OuterLink>
          ) : (
            <OuterLink href={docs}>Documentation</OuterLink>
          )}
        </p>
      </div>
    </Section>
  );
}
