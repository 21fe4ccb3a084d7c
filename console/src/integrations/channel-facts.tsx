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
  const isElsewhere = /^https?:/.test(docs);
  return (
    <Section title={`About ${title}`}>
      <div className="grid gap-4 text-sm">
        <div className="grid gap-1">
          <h3 className="font-medium">A recipient is</h3>
          <p className="text-pretty wrap-anywhere text-ink-soft">
            <Prose text={recipient.form} />
          </p>
          <p className="text-ink-faint">
            Such as <Copyable text={recipient.example} className="text-ink-soft" />
          </p>
        </div>
        <div className="grid gap-1.5">
          <h3 className="font-medium">It carries</h3>
          <p className="flex flex-wrap gap-1">
            <Badge>
              {can.text === null ? 'Any text' : `Text up to ${can.text.toLocaleString()}`}
            </Badge>
            {abilitiesOf(channel).map((ability) => (
              <Badge key={ability}>{ability}</Badge>
            ))}
          </p>
          <p className="text-pretty text-ink-faint">
            What it cannot carry as it is becomes a link or plain text; longer texts go in parts.
          </p>
        </div>
        {limits.length > 0 && (
          <div className="grid gap-1">
            <h3 className="font-medium">Its limits, which are kept for you</h3>
            <ul className="grid gap-1 text-ink-soft">
              {limits.map(({ what, link }) => (
                <li key={what} className="text-pretty">
                  {what}{' '}
                  <OuterLink href={link} className="text-xs">
                    source
                  </OuterLink>
                </li>
              ))}
            </ul>
          </div>
        )}
        <p>
          {isElsewhere ? (
            <OuterLink href={docs}>Its own documentation</OuterLink>
          ) : (
            <OuterLink href={docs}>The reference</OuterLink>
          )}
        </p>
      </div>
    </Section>
  );
}
