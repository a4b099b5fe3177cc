/** Finds the known word that an unknown one was probably meant to be. */
import { distance } from 'fastest-levenshtein'

/** The closest candidate, or undefined when none is close enough to be worth suggesting. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = fold(word)
  let best: string | undefined
  let fewest = allowance(wanted) + 1
  let begins: string | undefined
  for (const candidate of candidates) {
    if (candidate === word) continue
    const known = fold(candidate)
    const edits = swapped(wanted, known) ? 1 / 2 : distance(wanted, known)
    // A word of one or two letters is near to every other short word, so at least half of the letters must be equal.
    if (edits < fewest && edits * 2 <= Math.max(wanted.length, known.length)) {
      best = candidate
      fewest = edits
    }
    if (begins === undefined && wanted.length >= 3 && known.startsWith(wanted)) begins = candidate
  }
  return best ?? begins
}

/** Whether a word is another one with one slip: a letter too many, too few or wrong, or two in the wrong order. */
export function isSlip(word: string, known: string): boolean {
  const [one, other] = [fold(word), fold(known)]
  return one !== other && (swapped(one, other) || distance(one, other) === 1)
}

/** The nearest of the known words as the hint of a complaint; empty where none is near. */
export function hintOf(word: string, known: Iterable<string>): { readonly hint?: string } {
  const near = nearest(word, known)
  return near === undefined ? {} : { hint: `did you mean "${near}"?` }
}

/** Names that a refusal lists. */
const SHOWN = 30

/** What a refusal lists where no name is near the unknown one: `; known here: title, pages`. */
export function knownHere(names: readonly string[], what = 'known'): string {
  return names.length === 0 ? '' : `; ${what} here: ${names.slice(0, SHOWN).join(', ')}`
}

/** The word without case, `-` and `_`: slips in these count as none. */
function fold(word: string): string {
  return word.toLowerCase().replace(/[-_ ]/g, '')
}

function allowance(word: string): number {
  if (word.length <= 3) return 1
  return word.length <= 7 ? 2 : 3
}

/** Two neighbouring letters in the wrong order count as one slip, so that `lable` is nearer to label than to table. */
function swapped(word: string, known: string): boolean {
  if (word.length !== known.length) return false
  let at = 0
  while (at < word.length && word[at] === known[at]) at += 1
  return (
    word[at] === known[at + 1] &&
    word[at + 1] === known[at] &&
    word.slice(at + 2) === known.slice(at + 2) &&
    at < word.length
  )
}
