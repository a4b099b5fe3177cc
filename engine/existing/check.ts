/** What the checks of a table say of one column, where they are of a form that the YAML has a word for. */

/** Words, or bounds of a number. */
export interface Bounds {
  readonly words?: readonly string[]
  readonly min?: string
  readonly max?: string
}

/** A check without brackets and casts, its texts apart: `state = ANY ARRAY[§0, §1]`. */
interface Plain {
  readonly text: string
  readonly texts: readonly string[]
}

const CAST = /::(?:"[^"]+"|[a-z_][\w. ]*[\w])(?:\([\d, ]+\))?(?:\[\])?/g
const COLUMN = '(?:"[^"]+"|\\w+)'

/** Undefined where something is computed: a bracket behind a name is a call. */
function plain(sql: string): Plain | undefined {
  const texts: string[] = []
  const apart = sql.replace(/'((?:[^']|'')*)'/g, (_, text: string) => `§${texts.push(text.replaceAll("''", "'")) - 1}`)
  const bare = apart.replace(CAST, '')
  if (/[\w"]\(/.test(bare)) return undefined
  return { text: bare.replace(/[()]/g, ''), texts }
}

/** `state = ANY ARRAY[§0, §1]`, `state = §0 OR state = §1`. */
function wordsOf({ text, texts }: Plain): readonly string[] | undefined {
  const list = new RegExp(`^${COLUMN} = ANY ARRAY\\[(.*)\\]$`).exec(text)?.[1]?.split(', ')
  const named = list ?? text.split(' OR ').map((part) => new RegExp(`^${COLUMN} = (§\\d+)$`).exec(part)?.[1] ?? '')
  const words = named.map((name) => (/^§\d+$/.test(name) ? texts[Number(name.slice(1))] : undefined))
  return words.every((word) => word !== undefined) ? (words as readonly string[]) : undefined
}

/** `stars >= 1 AND stars <= 5`: the bounds; those of whole numbers may leave out their own end. */
function boundsOf({ text, texts }: Plain, whole: boolean): Bounds {
  const ends = text.split(' AND ').map((part) => {
    const [, operator = '', written = ''] = new RegExp(`^${COLUMN} (>=|<=|>|<) (\\S+)$`).exec(part) ?? []
    const value = written.startsWith('§') ? (texts[Number(written.slice(1))] ?? '') : written
    return /^-?\d+(\.\d+)?$/.test(value) ? endOf(operator, value, whole) : undefined
  })
  return ends.some((end) => end === undefined) ? {} : Object.assign({}, ...ends)
}

function endOf(operator: string, value: string, whole: boolean): Bounds | undefined {
  if (operator === '>=') return { min: value }
  if (operator === '<=') return { max: value }
  if (!whole || value.includes('.')) return undefined
  return operator === '>' ? { min: String(BigInt(value) + 1n) } : { max: String(BigInt(value) - 1n) }
}

/** What these checks of one column say together. */
export function boundsIn(checks: readonly string[], whole: boolean): Bounds {
  const all = checks.map((sql): Bounds => {
    const bare = plain(sql)
    if (bare === undefined) return {}
    const words = wordsOf(bare)
    return words === undefined ? boundsOf(bare, whole) : { words }
  })
  return Object.assign({}, ...all)
}
