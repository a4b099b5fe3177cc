/** ⇄ Rules that look at many-to-many links, judged inside the open transaction once the links of a record are written. */
import type { LinkRule, RecordRule, Resource } from '../catalog/catalog.ts'
import { meets } from '../catalog/stored.ts'
import { ApiError, invalid } from '../error.ts'
import type { Id } from '../id.ts'
import type { Compiled } from '../query/compiled.ts'
import { compileLinkCheck, type LinkedRule } from '../query/foreign-check.ts'
import type { SelectScope } from '../query/scope.ts'
import { type Execution, runCompiled, scopeOf } from './execution.ts'
import { type Links, tablesOf } from './many.ts'

/** A record whose links were written. */
export interface Linked {
  readonly resource: Resource
  readonly action: 'create' | 'update'
  readonly id: Id
  /** The ids that came or went. */
  readonly moved: Links
  /** The columns that an update wrote. */
  readonly columns: ReadonlySet<string>
}

/** A rule to be judged, and the records to which its way leads. */
interface Asked {
  readonly rule: RecordRule | LinkRule
  readonly ids: readonly Id[]
  /** It is a rule of the record itself. */
  readonly own: boolean
}

/** Throws validation_failed or conflict with the sentence of the first rule that the links break. */
export async function refuseBrokenLinks(around: Execution, linked: Linked): Promise<void> {
  if (linked.moved.size === 0) return
  const asked = askedOf(linked)
  if (asked.length === 0) return
  const scope = scopeOf(around, linked.resource)
  const compiled = around.statements.get(
    compileLinkChecks,
    scope,
    linked.resource,
    asked.map(({ rule }) => rule),
  )
  const slots = Object.fromEntries(asked.map(({ ids }, i) => [`o${i}`, ids]))
  const [row = []] = await runCompiled(around, compiled, slots)
  const broken = asked.find((_, i) => row[i] !== 't')
  if (broken === undefined) return
  const { at, says } = 'way' in broken.rule ? broken.rule.rule : broken.rule
  if (broken.own && at !== undefined) throw invalid({ [at.name]: [says] })
  throw new ApiError('conflict', { message: says })
}

function compileLinkChecks(
  scope: SelectScope,
  { name, table }: Resource,
  rules: readonly (RecordRule | LinkRule)[],
): Compiled {
  const judged = rules.map((rule): LinkedRule => ('way' in rule ? rule : { resource: name, rule, table, way: [] }))
  return compileLinkCheck(scope, judged)
}

function askedOf({ action, columns, id, moved, resource }: Linked): readonly Asked[] {
  const tables = tablesOf(moved)
  const own = resource.rules
    .filter(({ links, narrow, on, reads }) => {
      const concerns = action === 'create' || !narrow || meets(reads, columns)
      return on.has(action) && meets(links, tables) && concerns
    })
    .map((rule) => ({ rule, ids: [id], own: true }))
  const others = [...moved].flatMap(([{ through }, ids]) =>
    resource.linkRules
      .filter((rule) => rule.through === through.table && !isOwn(resource, through.from, rule))
      .map((rule) => ({ rule, ids: rule.near === through.from ? [id] : ids, own: false })),
  )
  return [...own, ...others]
}

/** Whether a rule is of the very record whose pairs are written, from its side. */
function isOwn({ table }: Resource, from: string, rule: LinkRule): boolean {
  return rule.table === table && rule.way.length === 0 && rule.near === from
}
