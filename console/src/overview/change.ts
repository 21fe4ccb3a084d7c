const MAX_PERCENT = 999;

/** A change in percent, such as "12% more". */
export function changeText(now: number, before: number): string {
  if (now === before) return 'no change';
  if (before === 0) return 'none before';
  const percent = (Math.abs(now - before) / before) * 100;
  const more = now > before ? 'more' : 'less';
  if (percent > MAX_PERCENT) return `over ${MAX_PERCENT}% ${more}`;
  return `${percent < 1 ? 'under 1' : Math.round(percent)}% ${more}`;
}

/** Share of failed messages in percent; null without messages. */
export function failureRate({ sent, failed }: { sent: number; failed: number }): number | null {
  const settled = sent + failed;
  return settled === 0 ? null : (failed / settled) * 100;
}

/** Percent with as many digits as a small rate needs. */
export const percentText = (percent: number) =>
  `${percent.toLocaleString('en-US', { maximumSignificantDigits: 2 })}%`;
