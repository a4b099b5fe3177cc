/** ⇄ Writing many-to-many relations: a list of ids replaces the links of a record. */
import type { Field, ManyToMany, Resource } from '../catalog/catalog.ts'
import { idOf, idsType, idType } from '../catalog/key.ts'
import { targetOf } from '../catalog/target.ts'
import { invalid } from '../error.ts'
import { FIELD_TYPES } from '../field/index.ts'
import { type FieldError, fieldError } from '../field-error.ts'
import { quoted } from '../filter/sql.ts'
import type { Id } from '../id.ts'
import { LIMITS } from '../limits.ts'
import { memo } from '../memo.ts'
import { compileLinked, compileSelectable, compileUnlink } from '../query/links.ts'
import { allowsOne } from '../query/policy.ts'
import { type Execution, runCompiled } from './execution.ts'
import { joiningOf, writePairs } from './pairs.ts'

/** The body keys that write many-to-many relations, as fields: lists of distinct ids. */
export const manyFields = memo((resource: Resource): readonly (readonly [Field, ManyToMany])[] => {
  const relations = [...resource.relations.values()].filter((relation) => relation.kind === 'many_to_many')
  return relations.map((relation) => [idList(resource, relation), relation] as const)
})

function idList(resource: Resource, relation: ManyToMany): Field {
  const own = { of: relation.ids, max_items: LIMITS.listItems }
  return {
    ...resource.key,
    name: relation.writeAs,
    column: relation.writeAs,
    type: FIELD_TYPES.find((type) => type.name === 'list')!,
    options: { name: relation.writeAs, required: false, nullable: true, own },
    label: relation.label,
    readOnly: false,
    immutable: false,
    unique: false,
    nullable: true,
    required: false,
    write: relation.write,
  }
}

const NONE: ReadonlySet<string> = new Set()

/** The links that a caller wants, as ids by relation. */
export type Links = ReadonlyMap<ManyToMany, readonly Id[]>

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
          fieldError('invalid_selection', `The selected ${relation.label.toLowerCase()} is invalid`),
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

/** The joining tables of links. */
export function tablesOf(links: Links): ReadonlySet<string> {
  return new Set([...links.keys()].map(({ through }) => through.table))
}

/** The names of the relations of links. */
export function namesOf(links: Links): readonly string[] {
  return [...links.keys()].map(({ name }) => name)
}

/** The joining tables of links that rules of the record look at: these rules are judged when the links are written. */
export function judgedLater({ rules }: Resource, links: Links): ReadonlySet<string> {
  if (links.size === 0) return NONE
  const tables = [...tablesOf(links)].filter((table) => rules.some((rule) => rule.links.has(table)))
  return new Set(tables)
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
