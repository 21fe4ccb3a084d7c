/** The number of the bot. */
export const ACCOUNT = '+15550100001';

/** Messages are identified by their time in milliseconds; each has its own. */
export const timeOf = (number: number): number => 1_794_700_800_000 + number;
