/** What readers of one class have in common: the statements that tell what they see, and what those look at. */
import { createHash } from 'node:crypto'
import type { Foundation } from '../action/execution.ts'
import type { Actor } from '../actor.ts'
import type { Catalog, Resource } from '../catalog/catalog.ts'
import { quoted } from '../filter/sql.ts'
import { memo } from '../memo.ts'
import { identityOf } from '../plan/plan.ts'
import type { ListPlan } from '../plan/read-plan.ts'
import { type Compiled, parameterValues } from '../query/compiled.ts'
import type { ListQuery } from '../query/list-query.ts'
import type { SelectScope } from '../query/scope.ts'
import {
  type CompiledStream,
  compileConcerned,
  compileStream,
  type Dependency,
  dependencies,
  showsIn,
} from '../query/stream-statement.ts'

export interface Sight {
  /** Readers with the same one share statements. */
  readonly key: string
  readonly resource: Resource
  readonly foundation: Foundation
  /** The resources whose tables its readers depend on, its own first. */
  readonly owners: readonly string[]
  readonly dependencies: readonly Dependency[]
  /** Whether its readers are shown some records only, and not each that is there. */
  readonly isPartial: boolean
  /** Whether the values decide about the best plan. */
  readonly adhoc: boolean
  /** Whether other values of these columns show, and with `touched` whether an update by itself does. */
  readonly shows: (columns: ReadonlySet<string>, touched: boolean) => boolean
  /** The statement for a batch in which these other tables changed too. */
  readonly statement: (further: readonly Resource[]) => CompiledStream
  /** The statement that finds records that a change of others concerns. */
  readonly concerned: () => Compiled
}

/** What one reader, or several that see the same, compare with. */
export interface Share {
  /** By the order of what the statement says is brought along. */
  readonly values: readonly (string | null)[]
  /** The same for readers that see the same, on every instance; another one after a change of rights, of the filters or of the YAML. */
  readonly name: string
  /** What it was while resources had their earlier names. */
  readonly before: string | undefined
}

/** The sight of an actor who asks for these records. */
export function sightOf(foundation: Foundation, actor: Actor, { adhoc, plan }: ListQuery): Sight {
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

/** What a reader of a sight compares with. */
export function shareOf(sight: Sight, actor: Actor, { slots }: Pick<ListQuery, 'slots'>): Share {
  const { brought, statement } = sight.statement([])
  const values = parameterValues(brought, { actor, now: new Date(0), slots }).map(asText)
  const nameOf = (text: string): string => {
    const hash = createHash('sha256').update(text).update(JSON.stringify(values))
    return hash.digest('base64url').slice(0, 16)
  }
  const before = underEarlierTables(sight.foundation.catalog, statement.text)
  return { values, name: nameOf(statement.text), before: before === statement.text ? undefined : nameOf(before) }
}

/** The renamed tables, quoted, with their earlier names: they are asked for with every reader. */
const renamedTables = memo((catalog: Catalog): readonly (readonly [now: string, before: string])[] =>
  [...catalog.resources.values()].flatMap(({ name, owner, renamedFrom, table }) =>
    renamedFrom === undefined || name !== owner ? [] : [[quoted(table), quoted(renamedFrom)] as const],
  ),
)

/** A statement as it was while the tables had the names that the YAML calls the earlier ones. */
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
