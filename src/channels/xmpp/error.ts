import type { Element } from '@xmpp/client';

/** The error of a refused stanza. https://www.rfc-editor.org/rfc/rfc6120#section-8.3 */
export interface StanzaError {
  type: string;
  condition: string;
  text: string;
}

export const STANZA_ERRORS = 'urn:ietf:params:xml:ns:xmpp-stanzas';

export function errorIn(stanza: Element): StanzaError {
  const error = stanza.getChild('error');
  const children = error?.children.filter((child) => typeof child !== 'string') ?? [];
  const condition = children.find((child) => child.getNS() === STANZA_ERRORS && !child.is('text'));
  return {
    type: error?.attrs['type'] ?? '',
    condition: condition?.getName().slice(0, 100) ?? 'undefined-condition',
    text: error?.getChild('text', STANZA_ERRORS)?.text().slice(0, 1000) ?? '',
  };
}
