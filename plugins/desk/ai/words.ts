/** Features of texts for the classifier: words, pairs of neighbours and pieces of words, each as a small number. */

/** The number of different features; further words share numbers, which costs a little accuracy. */
export const FEATURES = 65_536

/** The most characters of a text: a longer one has logs or quoted mails. */
const TEXT_CHARACTERS = 6_000
const PIECE = 4

const EMPTY_WORDS: ReadonlySet<string> = new Set(
  `a about after again all also am an and any are as at be because been before being but by can could did do does doing
  done for from get got had has have he hello her hi him his how i if in into is it its just me more my no not of on or
  our out please regards she should since so some still than thank thanks that the their them then there these they this
  to too until up us very was we were what when where which while who why will with would you your dear`.split(/\s+/),
)

/** The features of a text. `weak` pieces forgive endings and typing errors, and count less. */
export interface Features {
  readonly strong: Uint16Array
  readonly weak: Uint16Array
  /** Marks that nearly equal texts share. */
  readonly marks: readonly [number, number]
}

/** The words of a text in lower case, without numbers; words of other scripts are unchanged. */
export function wordsOf(text: string): readonly string[] {
  const found = text
    .slice(0, TEXT_CHARACTERS)
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{M}\p{N}]+(?:['’]\p{L}+)?/gu)
  return (found ?? []).filter((word) => !/\p{N}/u.test(word))
}

/** The meaningful words of a text. */
export function tellingWords(text: string): readonly string[] {
  return wordsOf(text).filter((word) => word.length > 1 && !EMPTY_WORDS.has(word))
}

/** The number of a word or another feature, the same in every process. */
export function featureOf(kind: 'word' | 'pair' | 'piece', text: string): number {
  return hash(`${kind}:${text}`, 0x811c9dc5) & (FEATURES - 1)
}

function hash(text: string, seed: number): number {
  let value = seed
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  }
  value ^= value >>> 15
  value = Math.imul(value, 0x2c1b3c6d)
  return (value ^ (value >>> 12)) >>> 0
}

/** The features of a text, each once and in order of their numbers. */
export function featuresOf(text: string): Features {
  const words = tellingWords(text)
  const strong = new Set<number>()
  const weak = new Set<number>()
  let first = 0xffffffff
  let second = 0xffffffff
  words.forEach((word, index) => {
    strong.add(featureOf('word', word))
    const before = words[index - 1]
    if (before !== undefined) strong.add(featureOf('pair', `${before} ${word}`))
    const padded = `<${word}>`
    for (let at = 0; at + PIECE <= padded.length && at < 16; at += 1) {
      weak.add(featureOf('piece', padded.slice(at, at + PIECE)))
    }
    first = Math.min(first, hash(word, 0x9747b28c))
    second = Math.min(second, hash(word, 0x3c6ef372))
  })
  return { strong: Uint16Array.from(strong).sort(), weak: Uint16Array.from(weak).sort(), marks: [first, second] }
}
