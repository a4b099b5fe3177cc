/** Numbers in the text of JSON that a double does not hold: they would become other numbers without a word (RFC 8259, section 6). */

/** What completes the sentence "The <place> …" about such a number. */
export const INEXACT = 'is a number that cannot be kept exactly; send it as a string of digits'

/** A number with fewer digits and a short exponent is always one that a double holds; inside texts this finds too much. */
export const SUSPECT = /\d[\d.]{15}|\d[eE][+-]?\d{3}/

/** What matters of a text that is JSON already: its texts, its numbers, and what opens, parts and closes. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|[[\]{},]/g

/** The keys that lead to each number which a double does not hold, at most `most` of them; the text is valid JSON, and `SUSPECT` finds something in it. */
export function inexactNumbers(text: string, most: number): readonly (readonly (string | number)[])[] {
  const found: (string | number)[][] = []
  /** The key or index at each depth; undefined where an object's next text is a key. */
  const at: (string | number | undefined)[] = []
  for (const [token] of text.matchAll(TOKENS)) {
    const last = at.length - 1
    if (token === '{') at.push(undefined)
    else if (token === '[') at.push(0)
    else if (token === '}' || token === ']') at.pop()
    else if (token === ',') at[last] = typeof at[last] === 'number' ? (at[last] as number) + 1 : undefined
    else if (token.startsWith('"')) at[last] ??= last < 0 ? undefined : String(JSON.parse(token))
    else if (!isExact(token) && found.push(at.map((key) => key ?? '')) === most) break
  }
  return found
}

/** Whether a number as it is written is the one that JavaScript makes of it and writes again. */
export function isExact(text: string): boolean {
  const number = Number(text)
  return Number.isFinite(number) && decimalOf(String(number)) === decimalOf(text)
}

/** A number as its digits without zeros around them and the power of ten of the last one. */
function decimalOf(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^([-+]?)(\d*)\.?(\d*)(?:e([-+]?\d+))?$/i.exec(text) ?? []
  const digits = `${whole}${fraction}`
  let end = digits.length
  while (end > 0 && digits[end - 1] === '0') end -= 1
  const kept = digits.slice(0, end).replace(/^0+/, '')
  if (kept === '') return '0'
  return `${sign === '-' ? '-' : ''}${kept}e${Number(exponent) - fraction.length + digits.length - end}`
}
