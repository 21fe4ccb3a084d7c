const UNITS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');

/** A number below 100 in words: `twenty-eight`. */
export function inWords(count: number): string {
  const unit = UNITS[count];
  if (unit !== undefined) return unit;
  const ten = TENS[Math.floor(count / 10) - 2] ?? '';
  return count % 10 === 0 ? ten : `${ten}-${UNITS[count % 10] ?? ''}`;
}
