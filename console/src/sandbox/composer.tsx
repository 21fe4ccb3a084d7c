import { CornerUpLeft, Image as ImageIcon, MapPin, Mic, SendHorizontal, X } from 'lucide-react';
import { useState } from 'react';

import type { SandboxMessage } from '../api/types.ts';
import { Button } from '../ui/form/button.tsx';
import { Input } from '../ui/form/input.tsx';

export interface ComposerProps {
  busy: boolean;
  /** The message that is being answered. */
  answering: SandboxMessage | undefined;
  onCancel(): void;
  onSend(content: object): void;
}

const PLACE = { latitude: 52.52, longitude: 13.405, name: 'Berlin' };

/** Writes as the simulated person. Photos and voice notes are samples. */
export function Composer({ busy, answering, onCancel, onSend }: ComposerProps) {
  const [text, setText] = useState('');
  const send = (event: { preventDefault(): void }) => {
    event.preventDefault();
    if (text.trim() === '') return;
    onSend({ text });
    setText('');
  };
  const samples = [
    { label: 'Send a photo', icon: ImageIcon, content: { media: { type: 'Image' } } },
    { label: 'Send a voice note', icon: Mic, content: { media: { type: 'Audio' } } },
    { label: 'Send a place', icon: MapPin, content: { place: PLACE } },
  ];
  return (
    <form onSubmit={send} className="grid gap-2 border-t border-line bg-surface p-2">
      {answering && (
        <p className="flex items-center gap-2 text-sm text-ink-soft">
          <CornerUpLeft className="size-3.5 shrink-0" aria-hidden />
          <span className="min-w-0 flex-1 truncate">{answering.text ?? 'Message'}</span>
          <Button size="iconSm" look="quiet" aria-label="Cancel reply" onClick={onCancel}>
            <X aria-hidden />
          </Button>
        </p>
      )}
      <div className="flex flex-wrap items-center gap-1">
        {samples.map(({ label, icon: Icon, content }) => (
          <Button
            key={label}
            size="icon"
            look="quiet"
            aria-label={label}
            title={label}
            disabled={busy}
            onClick={() => onSend(content)}
          >
            <Icon aria-hidden />
          </Button>
        ))}
        <Input
          aria-label="Answer"
          data-testid="answer"
          className="min-w-24 flex-1"
          value={text}
          placeholder="Answer"
          onChange={({ target }) => setText(target.value)}
        />
        <Button type="submit" look="primary" size="icon" aria-label="Send answer" busy={busy}>
          <SendHorizontal aria-hidden />
        </Button>
      </div>
    </form>
  );
}
