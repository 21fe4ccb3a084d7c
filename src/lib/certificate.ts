import { FetchFault } from './fetch.ts';

/** The server's certificate is not trusted: nothing was sent, and no attempt will change that. */
export class CertificateFault extends FetchFault {
  constructor(message: string, cause: unknown) {
    super(message, false, cause);
  }
}

/** By code, and by the words of OpenSSL where a library puts its own code in the place of that. */
const FAULTS: readonly (readonly [RegExp, string])[] = [
  [/SELF_SIGNED|self-signed certificate/, 'is self-signed'],
  [/CERT_HAS_EXPIRED|certificate has expired/, 'has expired'],
  [/CERT_NOT_YET_VALID|certificate is not yet valid/, 'is not valid yet'],
  [/CERT_REVOKED|certificate revoked/, 'is revoked'],
  [/ALTNAME_INVALID|HOSTNAME_MISMATCH|certificate's altnames/, 'is for another host'],
  [
    /UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)|CERT_UNTRUSTED|unable to (?:get (?:local )?issuer|verify the first) certificate/,
    'is from an unknown authority',
  ],
];

/** What is wrong with the certificate of a server; undefined when the error is another. */
export function certificateFault(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  const [, words] = FAULTS.find(([sign]) => sign.test(code) || sign.test(error.message)) ?? [];
  return words && `the server's certificate ${words}${code === '' ? '' : ` (${code})`}`;
}
