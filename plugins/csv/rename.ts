/** The option `map`: which column of the layout a column of the file is, and which are left out. */
import { invalid } from '../../engine/index.ts'
import { headerWord } from './layout.ts'

/** The name that means every unknown column. */
const OTHERS = '*'

export interface Renames {
  /** Titles of the file as written, with the column each is; undefined: it is left out. */
  readonly titles: readonly (readonly [title: string, column: string | undefined])[]
  /** Whether every other column that is not known is left out. */
  readonly othersOut: boolean
}

export const NO_RENAMES: Renames = { titles: [], othersOut: false }

/** Reads `Ticket ID:UID,Notes:`; throws validation_failed for `map`. */
export function renamesOf(text: string): Renames {
  const entries = splitBy(text, ',').filter((entry) => entry.trim() !== '')
  const read = entries.map((entry) => {
    const parts = splitBy(entry, ':')
    const title = plain(parts.slice(0, -1).join(':'))
    if (parts.length < 2 || title === '')
      throw invalid({ map: [`The map has "${entry.trim().slice(0, 64)}", which is not in the form Title:Column`] })
    return [title, plain(parts.at(-1) ?? '')] as const
  })
  const words = new Set<string>()
  for (const [title] of read) {
    const word = headerWord(title)
    if (words.has(word)) throw invalid({ map: [`The map has the title "${title.slice(0, 64)}" twice`] })
    words.add(word)
  }
  const others = read.find(([title]) => title === OTHERS)
  if (others !== undefined && others[1] !== '')
    throw invalid({ map: ['The map can only leave out all other columns: write *:'] })
  return {
    titles: read.filter(([title]) => title !== OTHERS).map(([title, column]) => [title, column || undefined]),
    othersOut: others !== undefined,
  }
}

/** Splits where the separator stands without a `\` before it; the `\` stay. */
function splitBy(text: string, separator: string): readonly string[] {
  const parts: string[] = []
  let part = ''
  for (let at = 0; at < text.length; at++) {
    if (text[at] === separator) {
      parts.push(part)
      part = ''
    } else part += text[at] === '\\' ? text.slice(at, ++at + 1) : text[at]
  }
  return [...parts, part]
}

function plain(text: string): string {
  return text.replace(/\\(.)/gs, '$1').trim()
}
