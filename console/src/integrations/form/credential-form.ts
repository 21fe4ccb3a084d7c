import { useState } from 'react';

import type { Channel, CredentialName } from '../../api/types.ts';
import { type Values, focusField } from './fields.ts';

/** What the user entered into the credential fields of a channel. */
export interface CredentialForm {
  channel: Channel;
  values: Values;
  setValues(values: Values): void;
  /** Index of the selected credential set. */
  credentialSet: number;
  setCredentialSet(credentialSet: number): void;
  /** Whether the fields that are missing show an error. */
  isMissingShown: boolean;
  /** Shows errors at the missing fields and moves the focus to one of them. */
  showMissing(first: CredentialName): void;
  reset(): void;
}

export function useCredentialForm(channel: Channel, initialSet = 0): CredentialForm {
  const [values, setValues] = useState<Values>({});
  const [credentialSet, setCredentialSet] = useState(initialSet);
  const [isMissingShown, setIsMissingShown] = useState(false);
  return {
    channel,
    values,
    setValues,
    credentialSet,
    setCredentialSet,
    isMissingShown,
    showMissing(first) {
      setIsMissingShown(true);
      focusField(first);
    },
    reset() {
      setValues({});
      setIsMissingShown(false);
    },
  };
}
