/** A class of readers: the statements that readers of one class share, and the tables that these depend on. */
import { createHash } from 'node:crypto'
import type { Actor } from '../actor.ts'
import type { ListQuery } from '../ask/list.ts'
import type { Catalog, Resource } from '../catalog/catalog.ts'
import { quoted } from '../filter/sql.ts'
import { memo } from '../memo.ts'
import { identityOf } from '../plan/plan.ts'
import type { ListPlan } from '../plan/read-plan.ts'
import type { Foundation } from '../run/execution.ts'
import { type Compiled, parameterValues, type SelectScope } from '../statement/compiled.ts'
import {
  type CompiledStream,
  compileConcerned,
  compileStream,
  type Dependency,
  dependencies,
  showsIn,
} from '../statement/stream.ts'

export interface ReaderClass {
  /** Readers with the same key share statements. */
  readonly key: string
  readonly resource: Resource
  readonly foundation: Foundation
  /** The resources whose tables the readers depend on, beginning with their own. */
  readonly owners: readonly string[]
  readonly dependencies: readonly Dependency[]
  /** Whether its readers see only some records. */
  readonly isPartial: boolean
  /** Whether the best plan depends on the values. */
  readonly adhoc: boolean
  /** Whether a change of these columns is visible; with `touched`, whether an update itself is. */
  readonly shows: (columns: ReadonlySet<string>, touched: boolean) => boolean
  /** The statement for a batch in which these other tables changed too. */
  readonly statement: (further: readonly Resource[]) => CompiledStream
  /** The statement that finds records affected by a change of other tables. */
  readonly concerned: () => Compiled
}

/** The values with which one reader, or several with the same view, are compared. */
export interface Share {
  /** In the order of the statement's parameters. */
  readonly values: readonly (string | null)[]
  /** Equal for readers with the same view on every instance; changes with rights, filters and the YAML. */
  readonly name: string
  /** Its form while resources had their earlier names. */
  readonly before: string | undefined
}

/** The class of an actor for these records. */
export function readerClassOf(foundation: Foundation, actor: Actor, { adhoc, plan }: ListQuery): ReaderClass {
  const { catalog, statements } = foundation
  const { resource } = plan
  const scope = { catalog, actor }
  const all = dependencies(scope, plan)
  return {
    // Plans are numbered anew with each catalog.
    key: identityOf([resource, plan]),
    resource,
    foundation,
    owners: [...new Set([resource.owner, ...all.map(({ owner }) => owner)])],
    dependencies: all,
    isPartial: plan.within.kind !== 'all' || resource.scope !== undefined || isChosen(plan),
    adhoc,
    shows: showsIn(scope, resource),
    statement: (further) => statements.get(compileStream, scope, plan, further),
    concerned: () => statements.get(compileConcernedBy, scope, plan),
  }
}

function compileConcernedBy(scope: SelectScope, plan: ListPlan): Compiled {
  return compileConcerned(scope, plan.resource, dependencies(scope, plan))
}

function isChosen({ filters, search }: ListPlan): boolean {
  return filters.length > 0 || search !== undefined
}

/** The values of a reader for its class. */
export function shareOf(readerClass: ReaderClass, actor: Actor, { slots }: Pick<ListQuery, 'slots'>): Share {
  const { brought, statement } = readerClass.statement([])
  const values = parameterValues(brought, { actor, now: new Date(0), slots }).map(asText)
  const nameOf = (text: string): string => {
    const hash = createHash('sha256').update(text).update(JSON.stringify(values))
    return hash.digest('base64url').slice(0, 16)
  }
  const before = underEarlierTables(readerClass.foundation.catalog, statement.text)
  return { values, name: nameOf(statement.text), before: before === statement.text ? undefined : nameOf(before) }
}

/** The renamed tables, quoted, with their earlier names: needed for every reader. */
const renamedTables = memo((catalog: Catalog): readonly (readonly [now: string, before: string])[] =>
  [...catalog.resources.values()].flatMap(({ name, owner, renamedFrom, table }) =>
    renamedFrom === undefined || name !== owner ? [] : [[quoted(table), quoted(renamedFrom)] as const],
  ),
)

/** A statement from the time when the tables had their earlier names. */
function underEarlierTables(catalog: Catalog, text: string): string {
  return renamedTables(catalog).reduce((said, [now, before]) => said.replaceAll(now, before), text)
}

/** A value as PostgreSQL reads it from text. */
function asText(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (Array.isArray(value)) return `{${value.map(asItem).join(',')}}`
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function asItem(value: unknown): string {
  const text = asText(value)
  return text === null ? 'NULL' : `"${text.replace(/[\\"]/g, '\\$&')}"`
}
