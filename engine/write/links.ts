/** ⇄ Many-to-many links of a record: a list of ids replaces them, and rules that look at them are judged behind that. */

import { allowsOne } from '../ask/policy.ts'
import type { LinkRule, ManyToMany, RecordRule, Resource } from '../catalog/catalog.ts'
import { inSentence } from '../catalog/name.ts'
import { idOf, idsType, idType, meets, storedFields, targetOf } from '../catalog/stored.ts'
import { ApiError, invalid, isRefusal } from '../error.ts'
import { type FieldError, fieldError } from '../field-error.ts'
import { quoted } from '../filter/sql.ts'
import type { Id } from '../id.ts'
import type { JsonObject } from '../json.ts'
import { attempt, type Execution, inTransaction, runCompiled, scopeOf, type Within } from '../run/execution.ts'
import type { Compiled, SelectScope } from '../statement/compiled.ts'
import { compileComing, compileLeaving, compileLinked, compileSelectable, compileUnlink } from '../statement/links.ts'
import { compileLinkCheck, type LinkedRule } from '../statement/write-check.ts'
import { createOther, deleteOther, isPairHeard } from './consequences.ts'
import { type Links, tablesOf } from './input.ts'

/** The errors of ids that may not be linked to the record, keyed by `<key>.<index>`; `id` is absent for a record to come. */
export async function linkErrors(
  around: Execution,
  resource: Resource,
  id: Id | undefined,
  links: Links,
): Promise<Record<string, FieldError[]>> {
  const errors: Record<string, FieldError[]> = {}
  for (const [relation, ids] of links) {
    if (ids.length === 0) continue
    const allowed = await selectable(around, resource, relation, ids, id)
    ids.forEach((other, index) => {
      if (!allowed.has(other))
        errors[`${relation.writeAs}.${index}`] = [
          fieldError('invalid_selection', `The selected ${inSentence(relation.label)} is invalid`),
        ]
    })
  }
  return errors
}

/** Those of the links that differ from what the caller sees of the stored ones, whatever their order; of a relation or a record that the caller may not read, all. */
export async function changedLinks(
  around: Execution,
  resource: Resource,
  { id, seen }: { readonly id: Id; readonly seen: boolean },
  links: Links,
): Promise<Links> {
  const changed = new Map<ManyToMany, readonly Id[]>()
  for (const [relation, ids] of links) {
    const target = targetOf(around.catalog, relation)
    const rows = await runCompiled(around, compileLinked(around, resource, relation), { id }, true)
    const stored = new Set(rows.map((row) => idOf(target, row[0])))
    if (!seen || !allowsOne(relation.read, around.actor)) changed.set(relation, ids)
    else if (stored.size !== ids.length || !ids.every((other) => stored.has(other))) changed.set(relation, ids)
  }
  return changed
}

/** Replaces a record's links, as far as the caller sees them, inside the open transaction, and gives the ids that came or went; throws validation_failed keyed by `<key>.<index>`. */
export async function writeMany(around: Execution, resource: Resource, id: Id, links: Links): Promise<Links> {
  const errors = await linkErrors(around, resource, id, links)
  if (Object.keys(errors).length > 0) throw invalid(errors)
  const moved = new Map<ManyToMany, readonly Id[]>()
  for (const [relation, ids] of links) {
    const target = targetOf(around.catalog, relation)
    const { table, from, to } = relation.through
    const joining = joiningOf(around, relation)
    if (joining !== undefined) {
      moved.set(relation, await writePairs(around, { resource, id, relation, ids, joining, target }))
      continue
    }
    const [near, far] = [idType(resource), idsType(target)]
    const come = `insert into ${quoted(table)} (${quoted(from)}, ${quoted(to)}) select $1::${near}, unnest($2::${far}) on conflict do nothing returning ${quoted(to)}`
    const left = await runCompiled(around, compileUnlink(around, resource, relation), { id, ids }, true)
    const came = await around.runner.run({ text: come }, [id, ids])
    moved.set(
      relation,
      [...left, ...came].map((row) => idOf(target, row[0])),
    )
  }
  return moved
}

/** Which of the ids may be linked: those that the caller may view, and those that are linked already. */
async function selectable(
  around: Execution,
  resource: Resource,
  relation: ManyToMany,
  ids: readonly Id[],
  id: Id | undefined,
): Promise<ReadonlySet<Id>> {
  const target = targetOf(around.catalog, relation)
  const rows = await runCompiled(around, compileSelectable(around, resource, relation), { ids, id: id ?? null }, true)
  return new Set(rows.map((row) => idOf(target, row[0])))
}

/** The links that a record is to have. */
interface Pairing {
  readonly resource: Resource
  readonly id: Id
  readonly relation: ManyToMany
  readonly ids: readonly Id[]
  readonly joining: Resource
  readonly target: Resource
}

/** The resource whose records the pairs are, where anything hears of one that comes or goes. */
export function joiningOf({ catalog }: Execution, { through }: ManyToMany): Resource | undefined {
  const joining = [...catalog.resources.values()].find(
    ({ name, owner, table }) => table === through.table && owner === name,
  )
  return joining !== undefined && isPairHeard(joining) ? joining : undefined
}

/** Removes and makes pairs until the record has these links, as far as the caller sees them; gives the ids that came or went. */
export async function writePairs(around: Execution, pairing: Pairing): Promise<readonly Id[]> {
  const { id, ids, joining, relation, resource, target } = pairing
  const gone = await runCompiled(around, compileLeaving(around, resource, relation, joining), { id, ids }, true)
  const come = await runCompiled(around, compileComing(around, resource, relation), { id, ids }, true)
  const leaving = gone.map(([pair]) => idOf(joining, pair))
  const coming = come.map(([other]) => idOf(target, other))
  await inTransaction(around, async (inner) => {
    const leave = async (all: Execution): Promise<void> => {
      for (const pair of leaving) await deleteOther(all, joining, pair)
    }
    const arrive = async (all: Execution): Promise<void> => {
      for (const other of coming) await createOther(all, joining, pairOf(pairing, other))
    }
    await either(inner, leave, arrive, leaving.length > 0 && coming.length > 0)
  })
  return [...gone.map(([, other]) => idOf(target, other)), ...coming]
}

type Step = (inner: Execution) => Promise<void>

/** A list replaces pairs at once: whether too many or too few of them are there in between is no matter. */
async function either(inner: Within, first: Step, second: Step, matters: boolean): Promise<void> {
  if (!matters) {
    await first(inner)
    return second(inner)
  }
  try {
    await attempt(inner, async (all) => {
      await first(all)
      await second(all)
    })
  } catch (error) {
    if (!isRefusal(error)) throw error
    await second(inner)
    await first(inner)
  }
}

function pairOf({ id, joining, relation }: Pairing, other: Id): JsonObject {
  const { from, to } = relation.through
  const nameOf = (column: string): string => storedFields(joining).find((field) => field.column === column)!.name
  return { [nameOf(from)]: id, [nameOf(to)]: other }
}

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
