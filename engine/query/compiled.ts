/** Compiled statements: one for each shape of requests, kept in the process, and the values that one run gives its parameters. */
import { createHash } from 'node:crypto'
import type { Actor } from '../actor.ts'
import { addWorkingTime } from '../calendar/working-time.ts'
import type { Statement } from '../database/database.ts'
import { type Parameter, print, type Sql } from '../filter/sql.ts'
import { LIMITS } from '../limits.ts'
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
    case 'working': {
      const { calendar, ms } = parameter.working
      const due = addWorkingTime(calendar, now.getTime(), ms)
      return due === undefined ? null : new Date(due).toISOString()
    }
  }
}

/** Compiled values by key, at most `LIMITS.compiledShapes` of them. */
export interface CompiledStatements {
  /**
   * The value compiled for `key`, made by `compile` the first time. A key names the compiling function, the resource, the
   * actor class and the shape. Shapes that callers make up are kept beside the usual ones, and long ones not at all.
   */
  get<T extends { readonly statement: Statement }>(key: string, compile: () => T, madeUp?: boolean): T
}

/** An empty memory, for one catalog. */
export function createStatements(): CompiledStatements {
  const usual = createMemory(LIMITS.compiledShapes)
  const madeUp = createMemory(LIMITS.madeUpShapes, LIMITS.madeUpLength)
  return { get: (key, compile, isMadeUp = false) => (isMadeUp ? madeUp : usual).get(key, compile) }
}

/** At most so many values, the one that was not asked for the longest leaves first. */
function createMemory(most: number, longest = Number.POSITIVE_INFINITY): Pick<CompiledStatements, 'get'> {
  const known = new Map<string, { readonly statement: Statement }>()
  return {
    get<T extends { readonly statement: Statement }>(key: string, compile: () => T): T {
      // Only one function compiles for a key, so what is found has the type that this function gives.
      const found = known.get(key) as T | undefined
      if (found !== undefined) {
        known.delete(key)
        known.set(key, found)
        return found
      }
      const made = named(compile())
      if (made.statement.text.length > longest) return made
      known.set(key, made)
      if (known.size > most) known.delete(known.keys().next().value!)
      return made
    },
  }
}

/** Equal texts get equal names, so a connection that outlives a catalog never confuses two statements. */
function named<T extends { readonly statement: Statement }>(compiled: T): T {
  const name = `p_${createHash('sha1').update(compiled.statement.text).digest('hex').slice(0, 20)}`
  return { ...compiled, statement: { ...compiled.statement, name } }
}
