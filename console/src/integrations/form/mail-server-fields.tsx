import { useState } from 'react';

import { SelectField } from '../../ui/form/select-field.tsx';
import { TextField } from '../../ui/form/text-field.tsx';
import { Checkbox } from '../../ui/form/toggle.tsx';
import {
  DEFAULT_PORTS,
  type MailServer,
  type MailServers,
  NO_IMAP,
  NO_SMTP,
  PROVIDERS,
  type Security,
  composeMailServers,
  parseMailServers,
} from './mail-servers.ts';

interface MailServerFieldsProps {
  /** The stored form, `smtps://host:465 imaps://host:993`. */
  value: string;
  error: string | undefined;
  onChange(value: string): void;
}

const EMPTY: MailServers = { smtp: NO_SMTP, imap: undefined };

/** Host, port and security of the servers for sending and for receiving. */
export function MailServerFields({ value, error, onChange }: MailServerFieldsProps) {
  const [edited, setEdited] = useState({ value, servers: parseMailServers(value) ?? EMPTY });
  // Set from outside, such as by discarding changes.
  const isOutdated = edited.value !== value;
  const servers = isOutdated ? (parseMailServers(value) ?? EMPTY) : edited.servers;
  if (value !== '' && isOutdated && !parseMailServers(value)) {
    return <RawServers value={value} error={error} onChange={onChange} />;
  }
  if (value !== '' && !isOutdated && servers === EMPTY) {
    return <RawServers value={value} error={error} onChange={onChange} />;
  }
  const change = (changed: MailServers) => {
    const composed = composeMailServers(changed);
    setEdited({ value: composed, servers: changed });
    onChange(composed);
  };
  const { smtp, imap } = servers;
  const provider = PROVIDERS.find((each) => each.smtp.host === smtp.host.trim().toLowerCase());
  return (
    <div className="grid gap-4">
      <SelectField
        label="Provider"
        data-testid="mail-provider"
        value={provider?.name ?? ''}
        onValue={(selected) => {
          const chosen = PROVIDERS.find(({ name }) => name === selected);
          if (!chosen) return change({ smtp: NO_SMTP, imap: imap && NO_IMAP });
          change({ smtp: chosen.smtp, imap: imap && { ...imap, ...chosen.imap } });
        }}
      >
        <option value="">Other</option>
        {PROVIDERS.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </SelectField>
      <ServerFields
        title="Sending"
        protocol="smtp"
        server={smtp}
        error={smtp.host.trim() === '' ? error : undefined}
        onChange={(changed) => change({ ...servers, smtp: changed })}
      />
      <Checkbox
        data-testid="mail-receiving"
        label="Receive email too, over IMAP"
        checked={imap !== undefined}
        onChange={(event) =>
          change({
            ...servers,
            imap: event.target.checked ? { ...NO_IMAP, ...provider?.imap } : undefined,
          })
        }
      />
      {imap && (
        <ServerFields
          title="Receiving"
          protocol="imap"
          server={imap}
          error={imap.host.trim() === '' ? error : undefined}
          onChange={(changed) => change({ ...servers, imap: { ...imap, ...changed } })}
        >
          <TextField
            label="Mailbox"
            optional
            help="INBOX by default."
            className="sm:col-span-3"
            value={imap.mailbox}
            placeholder="INBOX"
            onValue={(text) => change({ ...servers, imap: { ...imap, mailbox: text } })}
          />
        </ServerFields>
      )}
    </div>
  );
}

/** Servers that the fields cannot express stay as they were written. */
function RawServers({ value, error, onChange }: MailServerFieldsProps) {
  return (
    <TextField
      label="Servers"
      error={error}
      help="smtps://host:465 imaps://host:993"
      value={value}
      spellCheck={false}
      onValue={onChange}
    />
  );
}

interface ServerFieldsProps {
  title: string;
  protocol: keyof typeof DEFAULT_PORTS;
  server: MailServer;
  error: string | undefined;
  onChange(server: MailServer): void;
  children?: React.ReactNode;
}

function ServerFields(props: ServerFieldsProps) {
  const { title, protocol, server, error, onChange, children } = props;
  const ports = DEFAULT_PORTS[protocol];
  const choose = (security: Security) => {
    const isDefault = server.port === '' || Object.values<string>(ports).includes(server.port);
    onChange({ ...server, security, port: isDefault ? ports[security] : server.port });
  };
  return (
    <fieldset
      data-testid={`mail-${protocol}`}
      className="grid items-start gap-3 sm:grid-cols-[minmax(0,1fr)_9rem_5.5rem]"
    >
      <legend className="mb-2 text-sm font-semibold">{title}</legend>
      <TextField
        label="Host"
        error={error}
        value={server.host}
        placeholder={`${protocol}.example.org`}
        autoCapitalize="none"
        spellCheck={false}
        onValue={(text) => onChange({ ...server, host: text })}
      />
      <SelectField
        label="Security"
        value={server.security}
        onValue={(chosen) => choose(chosen === 'tls' ? 'tls' : 'starttls')}
      >
        <option value="tls">TLS</option>
        <option value="starttls">STARTTLS</option>
      </SelectField>
      <TextField
        label="Port"
        inputMode="numeric"
        value={server.port}
        placeholder={ports[server.security]}
        onValue={(text) => onChange({ ...server, port: text.replaceAll(/\D/g, '').slice(0, 5) })}
      />
      {children}
    </fieldset>
  );
}
