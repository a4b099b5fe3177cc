/** Patterns from YAML: which are safe to run on a caller's text, and running them. */

const compiled = new Map<string, RegExp>()

/** Whether a text matches; patterns are those of definitions, so the map stays small. */
export function matches(pattern: string, text: string): boolean {
  let expression = compiled.get(pattern)
  if (expression === undefined) {
    expression = new RegExp(pattern, 'u')
    compiled.set(pattern, expression)
  }
  return expression.test(text)
}

interface Group {
  /** Whether something inside repeats, or its alternatives begin alike: repeating the group then explodes. */
  risky: boolean
  readonly heads: Set<string>
  atStart: boolean
}

/** Why a pattern can't be used, as a sentence, or undefined when it can. */
export function unsafePattern(pattern: string): string | undefined {
  try {
    new RegExp(pattern, 'u')
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^.*\/u?: /, '') : String(error)
    return `The pattern is not a regular expression: ${reason.charAt(0).toLowerCase()}${reason.slice(1)}`
  }
  if (/\\[1-9]|\\k</.test(pattern))
    return 'The pattern must not refer back to a group: it could take for ever on some texts'
  return repeatsRepetition(pattern)
    ? 'The pattern must not repeat a group that itself repeats, such as (a+)+: it could take for ever on some texts'
    : undefined
}

const TOKEN =
  /\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|\\c.|\\.|\[(?:\\.|[^\]\\])*\]|\(\?(?:<?[=!]|:|<[^>]*>)|[()|]|[*+?]\??|\{\d+(?:,\d*)?\}\??|./gsu

function repeatsRepetition(pattern: string): boolean {
  const groups: Group[] = [open()]
  let closed: Group | undefined
  let previous = ''
  for (const [token] of pattern.matchAll(TOKEN)) {
    const group = groups.at(-1) ?? open()
    const quantifier = /^(?:[*+?]|\{\d)/.test(token)
    if (quantifier) {
      if (repeats(token)) {
        if (closed?.risky === true) return true
        group.risky = true
      }
      continue
    }
    closed = undefined
    if (token.startsWith('(')) {
      head(group, '(')
      groups.push(open())
    } else if (token === ')') {
      closed = groups.pop()
      const outer = groups.at(-1)
      if (outer !== undefined && closed?.risky === true) outer.risky = true
    } else if (token === '|') group.atStart = true
    else head(group, token)
    previous = token
  }
  return previous === '' ? false : adjacent(pattern)
}

function open(): Group {
  return { risky: false, heads: new Set(), atStart: true }
}

function head(group: Group, token: string): void {
  if (!group.atStart) return
  group.atStart = false
  // Two alternatives are told apart by their first letter or not at all.
  const literal = /^[\p{L}\p{N}_ -]$/u.test(token)
  if (
    group.heads.size > 0 &&
    (!literal || group.heads.has(token) || [...group.heads].some((known) => known.length > 1))
  )
    group.risky = true
  group.heads.add(literal ? token : `set ${token}`)
}

function repeats(quantifier: string): boolean {
  const [, least, comma, most] = /^\{(\d+)(,?)(\d*)\}/.exec(quantifier) ?? []
  if (least === undefined) return quantifier.startsWith('*') || quantifier.startsWith('+')
  return comma === ',' && (most === '' || Number(most) - Number(least) > 10)
}

/** `\s*\s*` and `.*.*`: the same thing twice in a row splits a text in ever more ways. */
function adjacent(pattern: string): boolean {
  return /(\\[a-zA-Z]|\.|\[(?:\\.|[^\]\\])*\]|\w)[*+]\??\1[*+]/u.test(pattern)
}
