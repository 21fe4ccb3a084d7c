/**
 * A `Content-Disposition` that makes browsers save a file under a name in any script:
 * https://www.rfc-editor.org/rfc/rfc6266#section-4.3
 * `filename` replaces characters that a header cannot hold; `filename*` encodes them.
 */
export function attachmentNamed(name: string | undefined): string {
  if (!name) return 'attachment';
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/gu, '_');
  if (plain === name) return `attachment; filename="${plain}"`;
  const extended = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${extended}`;
}
