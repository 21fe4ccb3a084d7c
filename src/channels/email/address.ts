/** Whether this is one bare email address, without name, list or comment. RFC 5321, 4.1.2 and 4.5.3.1; RFC 6531. */
export function isMailAddress(text: string): boolean {
  if (Buffer.byteLength(text) > 254) return false;
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(at, 0));
  const domain = text.slice(at + 1);
  return (
    Buffer.byteLength(local) <= 64 &&
    (/^[^\s"(),:;<>@[\\\]\p{Cc}]{1,64}$/u.test(local) || /^"[^"\\\p{Cc}]{0,62}"$/u.test(local)) &&
    (isHost(domain) || /^\[[0-9A-Za-z.:-]{2,64}\]$/.test(domain))
  );
}

function isHost(domain: string): boolean {
  return /^[\p{L}\p{M}\p{N}.-]{1,253}$/u.test(domain) && !/^[.-]|\.\.|[.-]$/.test(domain);
}
