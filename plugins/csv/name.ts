/** The name of a person in one cell, in the orders in which files have it. */

export interface Name {
  readonly first: string
  readonly last: string
}

/** What stands behind a comma and is no first name. */
const SUFFIX = /^(?:jr|sr|junior|senior|i{2,3}|iv|ph\.?\s?d|m\.?d|mba|esq|b\.?sc|m\.?sc|ll\.?m|dipl\.?-?\w*)\.?$/i

/**
 * `Ann van Dyke` → `Ann van` and `Dyke`; `van Dyke, Ann` and `DYKE Ann` → `Ann` and the rest; `Ann Dyke, Jr.` → `Ann` and
 * `Dyke, Jr.`; an address in place of a name → its part before the @ and its domain. Who has one name gets `-` as the last.
 */
export function nameIn(text: string): Name {
  const value = text.replace(/\s+/g, ' ').trim()
  const [before = '', ...behind] = value.split(',').map((part) => part.trim())
  const suffixes = behind.filter((part) => SUFFIX.test(part))
  const others = behind.filter((part) => part !== '' && !SUFFIX.test(part))
  const suffix = suffixes.map((one) => `, ${one}`).join('')
  if (others.length > 0 && before !== '') return { first: others.join(' '), last: `${before}${suffix}` }
  const name = inOrder(before === '' ? others.join(' ') : before)
  return suffix === '' ? name : { first: name.first, last: `${name.last}${suffix}` }
}

function inOrder(value: string): Name {
  const words = value.split(' ')
  if (words.length === 1) {
    const at = value.lastIndexOf('@')
    return at > 0 && at < value.length - 1
      ? { first: value.slice(0, at), last: value.slice(at + 1) }
      : { first: value, last: '-' }
  }
  const capitals = words.findIndex((word) => !isCapitals(word))
  // A last name in capitals stands in front in many countries; a whole name in capitals says nothing.
  const isLast = words.slice(0, capitals).some((word) => word.length > 2)
  if (capitals > 0 && isLast)
    return { first: words.slice(capitals).join(' '), last: words.slice(0, capitals).join(' ') }
  return { first: words.slice(0, -1).join(' '), last: words.at(-1) ?? '' }
}

/** Whether a word of several letters is written in capitals; one with a dot is an initial. */
function isCapitals(word: string): boolean {
  return /^\p{L}[\p{L}'’-]+$/u.test(word) && word === word.toUpperCase() && word !== word.toLowerCase()
}
