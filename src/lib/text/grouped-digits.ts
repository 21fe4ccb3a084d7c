/**
 * A count with separated thousands, such as `10,000`. `toLocaleString` loads locale data for this, which adds 8 MB to the
 * memory of the process.
 */
export function groupDigits(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}
