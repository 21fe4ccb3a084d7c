import { FetchFault } from '../http/fetch.ts';

/** The server's certificate is not trusted: nothing was sent, and retrying does not help. */
export class CertificateFault extends FetchFault {
  constructor(message: string, cause: unknown) {
    super(message, false, cause);
  }
}

/** Matches Node's error code, or OpenSSL's message where a library replaces the code with its own. */
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

/** The problem with a server's certificate, or undefined if the error is not about a certificate. */
export function certificateFault(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  const [, problem] =
    FAULTS.find(([pattern]) => pattern.test(code) || pattern.test(error.message)) ?? [];
  return problem && `the server's certificate ${problem}${code === '' ? '' : ` (${code})`}`;
}
