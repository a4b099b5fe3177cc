/** Confidences and relevances have four digits: so many are stored, and an answer shows what is stored. */
export function fourDigits(value: number): number {
  return Math.round(value * 10_000) / 10_000
}
