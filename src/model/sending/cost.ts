/** The cost of a message, or of a part of it, as the vendor reports it. Most vendors report only some of the fields. */
export interface ReportedCost {
  /** A decimal number, such as `0.0075`. */
  amount?: string;
  /** ISO 4217. */
  currency?: string;
  /** The vendor's category of the price, such as `utility`. */
  category?: string;
  /** Whether it is charged. */
  billable?: boolean;
}

/** As stored: an amount in millionths of the currency. Empty texts mean that the vendor did not say. */
export interface StoredCost {
  amountMicros: number | null;
  currency: string;
  category: string;
  billable: 0 | 1;
}

const MICROS = 1_000_000;
const MAX_AMOUNT = 1_000_000;
const DECIMAL = /^-?\d{1,7}(?:\.\d{1,12})?$/;

/** Undefined if the vendor reported nothing of use. Some vendors write charges as negative numbers. */
export function storedCost({
  amount,
  currency,
  category,
  billable,
}: ReportedCost): StoredCost | undefined {
  const number =
    amount !== undefined && DECIMAL.test(amount) ? Math.abs(Number(amount)) : undefined;
  const isKnown = number !== undefined && number <= MAX_AMOUNT;
  const cost = {
    amountMicros: isKnown ? Math.round(number * MICROS) : null,
    currency: /^[A-Z]{3}$/.test(currency ?? '') ? (currency ?? '') : '',
    category: (category ?? '').toLowerCase().slice(0, 50),
    billable: billable === false ? 0 : 1,
  } as const;
  const isEmpty = cost.amountMicros === null && cost.category === '' && billable === undefined;
  return isEmpty ? undefined : cost;
}

/** As a decimal number. */
export function amountOf(micros: number | null): string | null {
  if (micros === null) return null;
  const digits = String(micros).padStart(7, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`.replace(/\.?0+$/, '');
}

/** The cost of a message: the sum of its parts. The amount is null if a part has none, or the currencies differ. */
export function totalCost(parts: readonly StoredCost[]): StoredCost | undefined {
  const [first] = parts;
  if (!first) return undefined;
  const isSame = parts.every(({ currency }) => currency === first.currency);
  const amounts = parts.map(({ amountMicros }) => amountMicros);
  const isKnown = isSame && amounts.every((amount) => amount !== null);
  return {
    ...first,
    amountMicros: isKnown ? amounts.reduce((sum: number, amount) => sum + (amount ?? 0), 0) : null,
    billable: parts.some(({ billable }) => billable === 1) ? 1 : 0,
  };
}
