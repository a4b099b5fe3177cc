/** Compiled statements: what they are compiled from, how they are kept, and the values that one run gives their parameters. */

import { createHash } from 'node:crypto'
import type { Actor } from '../actor.ts'
import { actorClass } from '../ask/policy.ts'
import { addWorkingTime } from '../calendar/working-time.ts'
import type { BelongsTo, Catalog, EmbedEntry, Field, Resource } from '../catalog/catalog.ts'
import { idSql } from '../catalog/stored.ts'
import type { Row, Statement } from '../database/database.ts'
import type { WireKind } from '../field/field-type.ts'
import { arrayText, type Serializer, wireJson } from '../field/wire.ts'
import { type Parameter, print, quoted, type Sql } from '../filter/sql.ts'
import type { Json } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { createMemory, identityOf, isMadeUp, numberOf, type Part } from '../plan/plan.ts'
import type { FieldValues } from '../record/decode.ts'
import { computedTexts } from './condition.ts'

/** A statement with where its parameters come from. */
export interface Compiled {
  readonly statement: Statement
  readonly parameters: readonly Parameter[]
}

/** A statement whose rows hold a record, after columns of the statement's own. */
export interface CompiledRecord extends Compiled {
  readonly serialize: Serializer
}

/** The statement that the pieces are when they are put together. */
export function compiled(sql: Sql): Compiled {
  const { text, parameters } = print(sql)
  return { statement: { text }, parameters }
}

/** A decoded value as a parameter: JSON columns as text, everything else as it is. */
export function parameterOf(field: Field, value: Json): unknown {
  const { wire } = field.type
  if (Array.isArray(value) && wire !== 'json') return arrayText(value)
  return wire === 'json' && value !== null ? JSON.stringify(value) : value
}

/** The slots `f_<name>` of values. */
export function valueSlots(resource: Resource, values: Readonly<FieldValues>): Record<string, unknown> {
  const slots: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(values)) {
    const field = resource.fields.get(name)
    if (field !== undefined) slots[`f_${name}`] = parameterOf(field, value)
  }
  return slots
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

/** One kept embed of one resource. */
export interface KeptEmbed {
  /** The fragment of an id; throws KeptEmbedMiss when none is kept. */
  readonly fragment: (id: string) => string
  /** Resolves when fragments are there; undefined when they are there already. */
  ready(): Promise<void> | undefined
}

/** Every kept embed of one catalog. */
export interface KeptEmbeds {
  /** The kept embed of a relation, or undefined where it must be joined. */
  of(relation: BelongsTo, entries: readonly EmbedEntry[]): KeptEmbed | undefined
}

/** What statements are compiled from: the catalog, and who asks. */
export interface SelectScope {
  readonly catalog: Catalog
  readonly actor: Actor
  /** Embeds kept in the process; undefined inside a transaction, whose own writes they do not show. */
  readonly kept?: KeptEmbeds | undefined
  /** Whether the statement itself makes the records that it answers: none that is stored leads to them yet. */
  readonly isNew?: boolean
}

/** The catalog and the caller for whom a statement is compiled; of the actor only its class counts. */
export interface StatementScope {
  readonly catalog: Catalog
  readonly actor?: Actor
  /** Embeds kept in the process: one object for each table that the statement writes. */
  readonly kept?: object | undefined
  readonly isNew?: boolean
}

/** Compiled statements of one catalog, at most `LIMITS.compiledShapes` of them. */
export interface CompiledStatements {
  /**
   * The statement that `compile`, a function of its own module, makes of a scope and parts: made the first time, and
   * found again for equal ones, so that nothing can be compiled from what does not tell statements apart. Statements of
   * plans that callers make up are kept apart from the usual ones, and long ones not at all.
   */
  get<S extends StatementScope, P extends readonly Part[], T extends { readonly statement: Statement }>(
    compile: (scope: S, ...parts: P) => T,
    scope: S,
    ...parts: P
  ): T
}

interface Kept {
  readonly statement: Statement
}

/** An empty memory, for one catalog. */
export function createStatements(): CompiledStatements {
  const usual = createMemory<Kept>(LIMITS.compiledShapes)
  const madeUp = createMemory<Kept>(
    LIMITS.madeUpShapes,
    ({ statement }) => statement.text.length <= LIMITS.madeUpLength,
  )
  return {
    get<S extends StatementScope, P extends readonly Part[], T extends Kept>(
      compile: (scope: S, ...parts: P) => T,
      scope: S,
      ...parts: P
    ): T {
      const key = `${scopeIdentity(compile, scope)}${identityOf(parts)}`
      const found = (isMadeUp(parts) ? madeUp : usual).get(key, () => named(compile(scope, ...parts)))
      // Only one function compiles for a key, so what is found has the type that this function gives.
      return found as T
    },
  }
}

function scopeIdentity(compile: object, { actor, isNew, kept }: StatementScope): string {
  const flags = `${kept === undefined ? '' : numberOf(kept)}${isNew === true ? 'n' : ''}`
  return `${numberOf(compile)} ${actor === undefined ? '' : actorClass(actor)} ${flags} `
}

/** Equal texts get equal names, so a connection that outlives a catalog never confuses two statements. */
function named<T extends Kept>(compiled: T): T {
  const name = `p_${createHash('sha1').update(compiled.statement.text).digest('hex').slice(0, 20)}`
  return { ...compiled, statement: { ...compiled.statement, name } }
}

/** Columns for a select list, and the function that reads the actor's attributes from them. */
export interface AttributeColumns {
  /** SQL over the alias of the account, in the order in which `read` expects them. */
  readonly columns: readonly string[]
  /** The attributes of a row whose columns begin at `from`. */
  read(row: Row, from: number): Readonly<Record<string, Json>>
}

/** The attributes of accounts whose table has the alias; none where no plugin says what accounts are. */
export function attributeColumns(catalog: Catalog, alias: string): AttributeColumns {
  const attributes = [...(catalog.accounts?.attributes ?? [])]
  const fields = [...new Set(attributes.map(([, field]) => field))]
  const places = attributes.map(([name, field]) => [name, fields.indexOf(field), field.type.wire] as const)
  return {
    columns: fields.map((field) => attributeSql(catalog, field, alias)),
    read: (row, from) =>
      Object.freeze(
        Object.fromEntries(places.map(([name, at, wire]) => [name, attributeOf(wire, row[from + at] ?? null)])),
      ),
  }
}

/** An address counts once its owner confirmed it: anybody can register one that belongs to another person. */
function attributeSql(catalog: Catalog, field: Field, alias: string): string {
  const own = columnSql(catalog, field, alias)
  const { address, resource = '' } = catalog.accounts ?? {}
  const confirmed = catalog.resources.get(resource)?.fields.get(address?.confirmed ?? '')
  if (address?.field !== field.name || confirmed === undefined) return own
  return `case when ${columnSql(catalog, confirmed, alias)} then ${own} end`
}

function columnSql({ accounts, resources }: Catalog, field: Field, alias: string): string {
  if (field.computed === undefined) return `${alias}.${quoted(field.column)}`
  const account = resources.get(accounts?.resource ?? '')
  const id = account === undefined ? `${alias}."id"` : idSql(account, alias)
  return `(${computedTexts(field.computed, alias).join(id)})`
}

function attributeOf(wire: WireKind, text: string | null): Json {
  return wire === 'string' || wire === 'date' ? text : (JSON.parse(wireJson(wire, text)) as Json)
}
