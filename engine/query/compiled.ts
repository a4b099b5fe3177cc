/** A statement that was compiled for one shape of requests, and the values that one run gives its parameters. */
import type { Actor } from '../actor.ts'
import type { Statement } from '../database/database.ts'
import { type Parameter, print, type Sql } from '../filter/sql.ts'
import type { Serializer } from '../record/serializer.ts'

/** A statement with where its parameters come from. */
export interface Compiled {
  readonly statement: Statement
  readonly parameters: readonly Parameter[]
}

/** A statement whose rows hold a record, behind columns of the statement's own. */
export interface CompiledRecord extends Compiled {
  readonly serialize: Serializer
}

/** The statement that the pieces are when they are put together. */
export function compiled(sql: Sql): Compiled {
  const { text, parameters } = print(sql)
  return { statement: { text }, parameters }
}

/** What a request brings to its statement's parameters. */
export interface RequestValues {
  readonly actor: Actor
  readonly now: Date
  readonly slots: Readonly<Record<string, unknown>>
}

/** The parameter values of one run, in the order of `$n`. */
export function parameterValues(parameters: readonly Parameter[], values: RequestValues): unknown[] {
  const out = new Array<unknown>(parameters.length)
  for (let i = 0; i < parameters.length; i++) out[i] = parameterValue(parameters[i]!, values)
  return out
}

function parameterValue(parameter: Parameter, { actor, now, slots }: RequestValues): unknown {
  switch (parameter.kind) {
    case 'slot':
      return slots[parameter.name]
    case 'literal':
      return parameter.value
    case 'actor':
      return parameter.attribute === undefined ? actor.id : (actor.attributes[parameter.attribute] ?? null)
    case 'now':
      return now.toISOString()
    case 'today':
      return now.toISOString().slice(0, 10)
  }
}
