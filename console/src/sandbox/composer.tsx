import { CornerUpLeft, Image as ImageIcon, MapPin, Mic, SendHorizontal, X } from 'lucide-react';
import { useState } from 'react';

import type { Channel, Sandbox, SandboxMessage } from '../api/types.ts';
import { Button } from '../ui/form/button.tsx';
import { Input, Select } from '../ui/form/input.tsx';

interface ComposerProps {
  busy: boolean;
  channel: Channel | undefined;
  /** The people in the room; empty outside of one. */
  members: Sandbox['people'];
  /** The address of the person who writes. */
  speaker: string | undefined;
  onSpeaker(address: string): void;
  /** The message that is being answered. */
  answering: SandboxMessage | undefined;
  onCancel(): void;
  onSend(content: object): void;
}

const PHOTO = { media: { type: 'Image' } };
const VOICE_NOTE = { media: { type: 'Audio' } };
const PLACE = { latitude: 52.52, longitude: 13.405, name: 'Berlin' };

/** Writes as the simulated person. Photos and voice notes are samples. */
export function Composer(props: ComposerProps) {
  const { busy, channel, members, speaker, onSpeaker, answering, onCancel, onSend } = props;
  const [text, setText] = useState('');
  const send = (event: { preventDefault(): void }) => {
    event.preventDefault();
    if (text.trim() === '') return;
    onSend({ text });
    setText('');
  };
  const samples = [
    { kind: 'image', label: 'Send a photo', icon: ImageIcon, content: PHOTO },
    { kind: 'audio', label: 'Send a voice note', icon: Mic, content: VOICE_NOTE },
    { kind: 'place', label: 'Send a place', icon: MapPin, content: { place: PLACE } },
  ] as const;
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
      {members.length > 1 && (
        <Select
          aria-label="Write as"
          data-testid="speaker"
          value={speaker}
          onChange={({ target }) => onSpeaker(target.value)}
        >
          {members.map(({ address, name }) => (
            <option key={address} value={address}>
              {name}
            </option>
          ))}
        </Select>
      )}
      <div className="flex flex-wrap items-center gap-1">
        {samples
          .filter(({ kind }) => channel?.can[kind] === true)
          .map(({ kind, label, icon: Icon, content }) => (
            <Button
              key={kind}
              data-testid={`send-${kind}`}
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
