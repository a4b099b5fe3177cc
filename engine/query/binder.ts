/** Parameters of compiled statements: where each `$n` gets its value when a request runs. */
import type { Actor } from '../actor.ts'
import type { Operand } from '../filter/filter.ts'
import type { Json } from '../json.ts'

/** Where a parameter's value comes from; `slot` is a value of the request by name. */
export type ParameterSource =
  | { readonly kind: 'literal'; readonly value: Json }
  | { readonly kind: 'actor'; readonly attribute: string | undefined }
  | { readonly kind: 'now' }
  | { readonly kind: 'today' }
  | { readonly kind: 'slot'; readonly name: string }

/** Collects the parameters of one statement; equal sources share one `$n`. */
export interface Binder {
  readonly sources: readonly ParameterSource[]
  /** The `$n` of a source. */
  bind(source: ParameterSource): string
  slot(name: string): string
  operand(operand: Operand): string
}

/** A binder for one statement. */
export function createBinder(): Binder {
  const sources: ParameterSource[] = []
  const seen = new Map<string, string>()
  const bind = (source: ParameterSource): string => {
    const key = JSON.stringify(source)
    const known = seen.get(key)
    if (known !== undefined) return known
    const sql = `$${sources.push(source)}`
    seen.set(key, sql)
    return sql
  }
  const slot = (name: string): string => bind({ kind: 'slot', name })
  return {
    sources,
    bind,
    slot,
    operand: (operand) => (operand.kind === 'slot' ? slot(`v${operand.index}`) : bind(operand)),
  }
}

/** What a request brings to its statement's parameters. */
export interface Values {
  readonly actor: Actor
  readonly now: Date
  readonly slots: Readonly<Record<string, unknown>>
}

/** The parameter values of one run, in the order of `$n`. */
export function parameterValues(sources: readonly ParameterSource[], values: Values): unknown[] {
  const out = new Array<unknown>(sources.length)
  for (let i = 0; i < sources.length; i++) out[i] = parameterValue(sources[i]!, values)
  return out
}

function parameterValue(source: ParameterSource, { actor, now, slots }: Values): unknown {
  switch (source.kind) {
    case 'slot':
      return slots[source.name]
    case 'literal':
      return source.value
    case 'actor':
      return source.attribute === undefined ? actor.id : (actor.attributes[source.attribute] ?? null)
    case 'now':
      return now.toISOString()
    case 'today':
      return now.toISOString().slice(0, 10)
  }
}
