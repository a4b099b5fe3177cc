/** The joining table of a many_to_many: one that the engine makes, or that of a resource which belongs to both sides. */
import type { ManyToMany } from '../catalog/catalog.ts'
import { singular } from '../catalog/name.ts'
import { isStored } from '../catalog/stored.ts'
import type { JoiningDefinition } from '../definition/definition.ts'
import { type Draft, type DraftField, eachDraft, isUnread, type Resolution } from './resolution.ts'

/**
 * Where the pairs are kept. The table is named by both sides in order of the alphabet, so that both find the same one; the
 * columns of a resource's table are those of its relations.
 */
export function joiningTable(
  resolution: Resolution,
  from: Draft,
  to: Draft,
  named: string | JoiningDefinition | undefined,
): ManyToMany['through'] {
  if (typeof named === 'object') return { table: named.table, from: named.from, to: named.to, named: true }
  const given = named === undefined ? {} : { named: true as const }
  const table = named ?? [from.table, to.table].sort().join('_')
  const between = [...resolution.drafts.values()].find((draft) => draft.table === table && draft.owner === draft.name)
  const [near, far] = between === undefined ? [] : pointers(between, from, to)
  if (near !== undefined && far !== undefined) return { table, from: near.column, to: far.column, ...given }
  const [left, right] = [`${singular(from.table)}_id`, `${singular(to.table)}_id`]
  return { table, from: left, to: right === left ? `other_${right}` : right, ...given }
}

/** The foreign keys of a resource to both sides; for two sides that are one, the first two in the order of the file. */
function pointers(between: Draft, from: Draft, to: Draft): readonly (DraftField | undefined)[] {
  const keys = [...between.relations.values()].flatMap((one) => (one.kind === 'belongs_to' ? [one] : []))
  const leading = (side: Draft) => keys.filter(({ target }) => sides(side).has(target))
  const near = leading(from)[0]
  return [near?.field, leading(to).find((one) => one !== near)?.field]
}

function sides({ name, owner }: Draft): ReadonlySet<string> {
  return new Set([name, owner])
}

/** Pass: a resource whose table joins two others must be able to hold a pair, and each pair once. */
export function joiningTables(resolution: Resolution): void {
  for (const { written, draft } of eachDraft(resolution)) {
    for (const relation of draft.relations.values()) {
      if (relation.kind !== 'many_to_many') continue
      const { through } = relation
      const between = [...resolution.drafts.values()].find(
        (other) => other.table === through.table && other.owner === other.name,
      )
      if (between === undefined || isUnread(resolution, between.name)) continue
      const mistake = mistakeOf(between, through)
      if (mistake === undefined) continue
      const place = written.relations.get(relation.name)?.place(['through']) ?? relation.span
      resolution.report('wrong_relation', mistake.message, place, { hint: mistake.hint })
    }
  }
}

interface Mistake {
  readonly message: string
  readonly hint: string
}

function mistakeOf(between: Draft, { from, to }: ManyToMany['through']): Mistake | undefined {
  const name = `"${between.name}"`
  const stored = [...between.fields.values()].filter(isStored)
  const absent = [from, to].find((column) => !stored.some((field) => field.column === column))
  if (absent !== undefined)
    return {
      message: `${name} cannot join the two: it has no belongs_to relation with the column "${absent}"`,
      hint: 'let it belong to both sides, or name a table that is no resource’s',
    }
  if (between.live !== undefined)
    return { message: `${name} cannot join the two: it keeps what is deleted`, hint: 'take "soft_delete" away' }
  const pair = (columns: readonly string[]): boolean =>
    columns.length === 2 && columns.includes(from) && columns.includes(to)
  const unique = between.indexes.some(
    (index) => index.unique && index.where === undefined && pair(index.fields.map(({ column }) => column)),
  )
  if (!unique)
    return {
      message: `${name} cannot join the two: it may hold a pair twice`,
      hint: `add to it: indexes: [{ fields: [${from}, ${to}], unique: true }]`,
    }
  const given = new Set([between.key.column, from, to])
  const unfilled = stored.find((field) => !given.has(field.column) && isUnfilled(field))
  if (unfilled === undefined) return undefined
  return {
    message: `${name} cannot join the two: a pair has no value for its field "${unfilled.name}"`,
    hint: 'give the field a default, or let it be null',
  }
}

/** Whether a row needs a value that the database does not give by itself. */
function isUnfilled(field: DraftField): boolean {
  const filled = (field.default ?? null) !== null || field.defaultMoment !== undefined
  return !field.nullable && !filled && field.type.generated === undefined
}
