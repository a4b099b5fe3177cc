/** SQL as small values: texts with parameters between them, put together here and numbered when the whole is printed. */
import type { WorkingTime } from '../calendar/working-time.ts'
import type { Json } from '../json.ts'

/** Where the value of a parameter comes from when the statement runs; `slot` is a value of the request by name. */
export type Parameter =
  | { readonly kind: 'literal'; readonly value: Json }
  | { readonly kind: 'actor'; readonly attribute: string | undefined }
  | { readonly kind: 'now' }
  | { readonly kind: 'today' }
  /** The moment at which so much working time has passed since now. */
  | { readonly kind: 'working'; readonly working: WorkingTime }
  | { readonly kind: 'slot'; readonly name: string }

/** A piece of SQL. */
export interface Sql {
  readonly parts: readonly (string | Parameter)[]
}

/** A piece of SQL, or SQL text without parameters: keywords, quoted names, aliases. Never a value. */
export type Fragment = Sql | string | number

/**
 * Puts pieces together.
 *
 *     print(sql`${quoted('title')} = ${slot('v0')}::text`) // → { text: '"title" = $1::text', parameters: [{ kind: 'slot', name: 'v0' }] }
 */
export function sql(texts: TemplateStringsArray, ...fragments: readonly Fragment[]): Sql {
  return { parts: texts.flatMap((text, i) => (i === 0 ? [text] : [...partsOf(fragments[i - 1]!), text])) }
}

function partsOf(fragment: Fragment): Sql['parts'] {
  return typeof fragment === 'object' ? fragment.parts : [String(fragment)]
}

/** A parameter. */
export function parameter(source: Parameter): Sql {
  return { parts: [source] }
}

/** A value of the request. */
export function slot(name: string): Sql {
  return parameter({ kind: 'slot', name })
}

/** The pieces with a separator between them. */
export function join(fragments: readonly Fragment[], separator = ', '): Sql {
  return { parts: fragments.flatMap((fragment, i) => [...(i === 0 ? [] : [separator]), ...partsOf(fragment)]) }
}

/** A condition that holds when all of them do; true where there is none. */
export function and(conditions: readonly Fragment[]): Sql {
  return conditions.length === 0 ? sql`true` : join(conditions, ' and ')
}

/** A condition that holds when one of them does; false where there is none. */
export function or(conditions: readonly Fragment[]): Sql {
  return conditions.length === 0 ? sql`false` : join(conditions, ' or ')
}

/** A name in SQL. Names come from the catalog only. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** SQL text with `$n` parameters. */
export interface Printed {
  readonly text: string
  /** The value of each `$n`, in order. */
  readonly parameters: readonly Parameter[]
}

/** The text of a statement. Equal parameters share one `$n`; the first is the one after `before`. */
export function print({ parts }: Sql, before = 0): Printed {
  const parameters: Parameter[] = []
  const numbers = new Map<string, number>()
  const numberOf = (part: Parameter): number => {
    const key = JSON.stringify(part)
    const number = numbers.get(key) ?? before + parameters.push(part)
    numbers.set(key, number)
    return number
  }
  const text = parts.map((part) => (typeof part === 'string' ? part : `$${numberOf(part)}`)).join('')
  return { text, parameters }
}
